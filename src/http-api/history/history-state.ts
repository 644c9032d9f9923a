/** What a queue held at one moment. */
export interface Sample {
  readonly atMs: number
  readonly messages: number
}

/** The samples of each queue, the oldest first. */
export type History = ReadonlyMap<string, readonly Sample[]>

export interface HistoryLimits {
  readonly samples: number
  readonly queues: number
}

/** The history after one more look at all queues. Queues that are gone keep theirs until it is too old. */
export function addSamples(
  history: History,
  { atMs, depths, limits }: { atMs: number; depths: ReadonlyMap<string, number>; limits: HistoryLimits },
): History {
  const next = new Map<string, readonly Sample[]>(history)
  for (const [queue, messages] of depths) {
    const before = next.get(queue) ?? []
    if (before.length === 0 && next.size >= limits.queues) continue
    next.set(queue, [...before.slice(1 - limits.samples), { atMs, messages }])
  }
  return next
}

/** The history without what is older than this. */
export function forgetBefore(history: History, sinceMs: number): History {
  const kept = [...history].map(([queue, samples]) => [queue, samples.filter(({ atMs }) => atMs >= sinceMs)])
  return new Map(kept.filter(([, samples]) => samples!.length > 0) as [string, readonly Sample[]][])
}

export interface Growth extends Sample {
  readonly perSecond: number | null
}

/** So many points from a time on. Where there are more samples, the last of each equal part stands for it. */
export function readHistory(
  samples: readonly Sample[],
  { sinceMs, points }: { sinceMs: number; points: number },
): readonly Growth[] {
  const wanted = samples.filter(({ atMs }) => atMs >= sinceMs)
  const step = Math.max(1, Math.ceil(wanted.length / points))
  // Counted from the end: the newest depth is always shown.
  const chosen = wanted.filter((_, at) => (wanted.length - 1 - at) % step === 0)
  return chosen.map((sample, at) => ({ ...sample, perSecond: growth(chosen[at - 1], sample) }))
}

function growth(before: Sample | undefined, { atMs, messages }: Sample): number | null {
  if (!before || atMs <= before.atMs) return null
  return ((messages - before.messages) * 1_000) / (atMs - before.atMs)
}
