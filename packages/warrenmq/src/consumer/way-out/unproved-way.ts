import { ConsumerError } from '../../errors.ts'

/** Why a consumer does not begin, and what to do about it. */
export function wayBroken(queue: string, gaps: readonly string[]): ConsumerError {
  return new ConsumerError({
    code: 'WAY_OUT_BROKEN',
    message:
      `The consumer of "${queue}" takes no messages, because one that fails would be lost: ${gaps.join('; ')}. ` +
      'It checks again by itself and starts as soon as that is fixed. Declare what is missing with `await warren.apply()` or ' +
      '`warren apply`; if a queue lacks arguments, `warren plan` says how to get them back.',
  })
}

/** What could not be checked, and how it could be. */
export function unprovedWay({
  queue,
  doubts,
  why,
  requireProof,
}: {
  readonly queue: string
  readonly doubts: readonly string[]
  readonly why: string
  readonly requireProof: boolean
}): ConsumerError {
  const what = requireProof
    ? `The consumer of "${queue}" takes no messages, because of requireProof`
    : `The consumer of "${queue}" begins without a proof that failed messages are kept`
  const cure = requireProof
    ? 'It looks again by itself.'
    : 'With requireProof: true it would wait for the proof.'
  return new ConsumerError({
    code: 'WAY_OUT_UNPROVED',
    message:
      `${what}: it cannot see ${doubts.join('; ')} (${why}). Give connect() a managementUrl that answers for this user; the permission ` +
      `"configure" shows it everything but bindings. ${cure}`,
  })
}
