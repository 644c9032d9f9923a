/** What has been read of each writer: its highest number, and those of the last few that have come. */
export type SeenNumbers = Map<string, { highest: number; readonly recent: Set<number> }>

/** A record that is sent again after a lost connection may be behind so many others. */
const mostBehind = 1_000

/**
 * Whether a record has been read before. Who may read and write a stream can copy what stands there, seal and all: a
 * task that has ended would run again.
 */
export function isReplay(
  seen: SeenNumbers,
  { writer, number }: { readonly writer: string; readonly number: number },
): boolean {
  const known = seen.get(writer) ?? { highest: 0, recent: new Set<number>() }
  seen.set(writer, known)
  if (number <= known.highest - mostBehind || known.recent.has(number)) return true
  known.recent.add(number)
  known.highest = Math.max(known.highest, number)
  if (known.recent.size > 2 * mostBehind)
    for (const each of known.recent) if (each <= known.highest - mostBehind) known.recent.delete(each)
  return false
}
