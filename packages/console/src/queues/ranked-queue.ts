import type { Schemas } from '../api/api.ts'

/** A dead-letter queue with what makes it urgent. */
export interface RankedQueue
  extends Pick<Schemas['Dlq'], 'queue' | 'sources' | 'type' | 'oldestDeath' | 'mainCause'> {
  /** Also those that somebody looks at just now. */
  readonly messages: number | null
  /** Of the last ten minutes, as far as they are known: a spike of an hour ago is no growth of now. */
  readonly growthPerMinute: number
  /** Over the last hour, up to now. */
  readonly depths: readonly number[]
  /** Queues whose dead letters come here, and that nobody consumes now. */
  readonly abandoned: readonly string[]
}

export interface Figures {
  readonly dlqs: readonly Schemas['Dlq'][]
  readonly history: readonly Schemas['DepthHistory'][]
  readonly traffic: readonly Pick<Schemas['QueueTraffic'], 'queue' | 'consumers'>[]
}

/** How far back growth is measured. */
const recentMs = 600_000

/** The queues, the most urgent first: by what they will hold in an hour, twice where nobody consumes their origin. */
export function rankQueues({ dlqs, history, traffic }: Figures): readonly RankedQueue[] {
  const histories = new Map(history.map(({ queue, points }) => [queue, points]))
  const consumers = new Map(traffic.map(({ queue, consumers: count }) => [queue, count]))
  return dlqs
    .map((dlq): RankedQueue => {
      const points = histories.get(dlq.queue) ?? []
      const { queue, sources, type, oldestDeath, mainCause } = dlq
      const messages = dlq.total ?? dlq.messages
      const growth = growthOf(points)
      return {
        queue,
        messages,
        sources,
        type,
        oldestDeath,
        mainCause,
        // What has just been emptied does not grow, whatever it did within the hour.
        growthPerMinute: messages === 0 ? Math.min(0, growth) : growth,
        // The last sample may be a minute old, and the figure beside the line is of now.
        depths: [...points.map(({ messages: depth }) => depth), ...(messages === null ? [] : [messages])],
        abandoned: sources.filter((source) => consumers.get(source) === 0),
      }
    })
    .toSorted((left, right) => damageOf(right) - damageOf(left) || (left.queue < right.queue ? -1 : 1))
}

export function damageOf({ messages, growthPerMinute, abandoned }: RankedQueue): number {
  const inAnHour = (messages ?? 0) + Math.max(0, growthPerMinute) * 60
  return inAnHour * (abandoned.length > 0 ? 2 : 1)
}

function growthOf(points: Schemas['DepthHistory']['points']): number {
  const last = points.at(-1)
  if (!last) return 0
  const ageOf = ({ at }: { readonly at: string }): number => Date.parse(last.at) - Date.parse(at)
  const first = points.find((point) => ageOf(point) <= recentMs) ?? last
  // What came in some seconds is told as it was, and not as what a minute of it would be.
  return (last.messages - first.messages) / Math.max(1, ageOf(first) / 60_000)
}

/** Those that the reader looks for. */
export function findQueues(
  queues: readonly RankedQueue[],
  { find = '', growing = false }: { readonly find?: string; readonly growing?: boolean },
): readonly RankedQueue[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean)
  return queues.filter(({ queue, sources, growthPerMinute }) => {
    const names = [queue, ...sources].join('\n').toLowerCase()
    return (!growing || growthPerMinute > 0) && words.every((word) => names.includes(word))
  })
}
