/** What has been read of each writer: its highest number, and how the last few have come. */
export type SeenNumbers = Map<string, { highest: number; readonly recent: Map<number, SeenTwice> }>

interface SeenTwice {
  first: boolean
  again: boolean
}

/** A record that is sent again after a lost connection may be behind so many others. */
const mostBehind = 1_000

/**
 * `new`: it has not been read before. `known`: its writer sent it twice, since it lost the answer to the first, and this
 * is the other one. `replayed`: who may read and write a stream can copy what stands there, seal and all, and a task
 * that has ended would run again.
 */
export type Repeat = 'new' | 'known' | 'replayed'

/** Whether a record has been read before, and whether its writer accounts for that. */
export function decideRepeat(
  seen: SeenNumbers,
  fields: { readonly writer: string; readonly number: number; readonly isSentAgain: boolean },
): Repeat {
  const { writer, number, isSentAgain } = fields
  const known = seen.get(writer) ?? { highest: 0, recent: new Map<number, SeenTwice>() }
  seen.set(writer, known)
  if (number <= known.highest - mostBehind) return 'replayed'
  const come = known.recent.get(number) ?? { first: false, again: false }
  const { first, again } = come
  if (isSentAgain ? again : first) return 'replayed'
  known.recent.set(number, { first: first || !isSentAgain, again: again || isSentAgain })
  known.highest = Math.max(known.highest, number)
  if (known.recent.size > 2 * mostBehind)
    for (const each of known.recent.keys()) if (each <= known.highest - mostBehind) known.recent.delete(each)
  return first || again ? 'known' : 'new'
}
