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

/** What the broker remembers of a queue, the oldest first: the last minutes closely, and an hour roughly. */
export interface BrokerSamples {
  readonly fine: readonly Sample[]
  readonly coarse: readonly Sample[]
  /** For how long it has remembered anything; undefined where that is not known. */
  readonly uptimeMs: number | undefined
}

export const noSamples: BrokerSamples = { fine: [], coarse: [], uptimeMs: undefined }

/**
 * What the broker remembers, and before that what this server has seen itself. Only the latter differs from server to
 * server.
 */
export function joinSamples(
  seen: readonly Sample[],
  { fine, coarse, uptimeMs }: BrokerSamples,
): readonly Sample[] {
  const newest = fine.at(-1)
  if (!newest) return seen
  // The newest of each still changes: its time is not over.
  const close = fine.slice(0, -1)
  const before = coarse.slice(0, -1).filter(({ atMs }) => atMs < (close[0]?.atMs ?? newest.atMs))
  const told = believable([...before, ...close], newest.atMs - (uptimeMs ?? 0) + warmUpMs)
  return [...seen.filter(({ atMs }) => atMs < (told[0]?.atMs ?? Number.POSITIVE_INFINITY)), ...told]
}

/** Until a broker that has started has recovered its queues and counted them. */
const warmUpMs = 60_000

/** RabbitMQ says 0 for times that it knows nothing of, such as before it started: that queue was not empty. */
function believable(samples: readonly Sample[], knownSinceMs: number): readonly Sample[] {
  const first = samples.findIndex(({ atMs, messages }) => messages > 0 || atMs >= knownSinceMs)
  return first === -1 ? [] : samples.slice(first)
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

/** Messages per second over the last while, to hundredths; null where there are no two samples. */
export function growthOver(samples: readonly Sample[], overMs: number): number | null {
  const last = samples.at(-1)
  if (!last) return null
  const perSecond = growth(
    samples.find(({ atMs }) => atMs >= last.atMs - overMs),
    last,
  )
  return perSecond === null ? null : Math.round(perSecond * 100) / 100
}
