import type { Schemas } from '../api/api.ts'

/** A dead-letter queue with what makes it urgent. */
export interface RankedQueue
  extends Pick<Schemas['Dlq'], 'queue' | 'sources' | 'type' | 'oldestDeath' | 'mainCause'> {
  /** Also those that somebody looks at just now. */
  readonly messages: number | null
  /** Over the last hour, as far as it is known. */
  readonly growthPerMinute: number
  readonly depths: readonly number[]
  /** Queues whose dead letters come here, and that nobody consumes now. */
  readonly abandoned: readonly string[]
}

export interface Figures {
  readonly dlqs: readonly Schemas['Dlq'][]
  readonly history: readonly Schemas['DepthHistory'][]
  readonly traffic: readonly Pick<Schemas['QueueTraffic'], 'queue' | 'consumers'>[]
}

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
        depths: points.map(({ messages: depth }) => depth),
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
  const first = points[0]
  const last = points.at(-1)
  if (!first || !last) return 0
  const minutes = (Date.parse(last.at) - Date.parse(first.at)) / 60_000
  return minutes > 0 ? (last.messages - first.messages) / minutes : 0
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
