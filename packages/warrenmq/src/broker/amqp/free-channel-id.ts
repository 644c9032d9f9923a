import { ChannelError } from '../../errors.ts'

/** The next free number after the last that was given out, so that one is used again as late as can be; `most` 0: no limit. */
export function freeChannelId({
  taken,
  last,
  most,
}: {
  readonly taken: { has(id: number): boolean }
  readonly last: number
  readonly most: number
}): number {
  const limit = most || 65_535
  for (let step = 0; step < limit; step += 1) {
    const id = ((last + step) % limit) + 1
    if (!taken.has(id)) return id
  }
  throw new ChannelError({
    code: 'CHANNEL_LIMIT_REACHED',
    message: `All ${limit} channels of the connection are in use. Close some, or raise channel_max here and at the broker.`,
  })
}
