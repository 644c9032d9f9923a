import type { Consumer } from '../consumer.ts'
import type { ConsumerEvents } from './consumer-events.ts'
import { type Metric, renderMetrics, type Sample } from './render-metrics.ts'

/** Counts what consumers do, for Prometheus. */
export interface ConsumerMetrics {
  /**
   * Counts a consumer from now on. Gives the function that ends it.
   * @example
   * ```ts
   * const stop = createConsumerMetrics().observe(consumer)
   * ```
   */
  observe(consumer: Pick<Consumer, 'events' | 'counts' | 'breaker' | 'queue'>): () => void
  /**
   * The text for `/metrics`, of content type `text/plain; version=0.0.4`.
   * @example
   * ```ts
   * const metrics = createConsumerMetrics()
   * metrics.observe(consumer)
   * console.log(metrics.render())
   * ```
   */
  render(): string
}

/** Upper bounds of the duration histogram, in seconds. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

interface Duration {
  readonly counts: number[]
  sum: number
  total: number
}

/**
 * Metrics of the consumers that it observes, for Prometheus.
 * @example
 * ```ts
 * const metrics = createConsumerMetrics()
 * metrics.observe(await warren.consume('orders', save))
 * console.log(metrics.render())
 * ```
 */
export function createConsumerMetrics(): ConsumerMetrics {
  const settled = createCounter('queue', 'outcome', 'reason')
  const publishFailures = createCounter('queue', 'result')
  const starts = createCounter('queue')
  const interruptions = createCounter('queue')
  const remembered = createCounter('queue')
  const stale = createCounter('queue')
  const durations = new Map<string, Duration>()
  const observed = new Set<Pick<Consumer, 'counts' | 'breaker' | 'queue'>>()

  const listeners: { readonly [Name in keyof ConsumerEvents]?: (event: ConsumerEvents[Name]) => void } = {
    'delivery.settled': ({ queue, outcome, durationMs }) => {
      settled.add(queue, outcome.kind, outcome.kind === 'dead-letter' ? outcome.reason : '')
      if (durationMs !== undefined) addDuration(durations, queue, durationMs / 1000)
    },
    'delivery.remembered': ({ queue }) => remembered.add(queue),
    'delivery.stale': ({ queue }) => stale.add(queue),
    'settle.failed': ({ queue, result }) => publishFailures.add(queue, result.kind),
    'consumer.started': ({ queue }) => starts.add(queue),
    'consumer.interrupted': ({ queue }) => interruptions.add(queue),
  }

  return {
    observe: (consumer) => {
      observed.add(consumer)
      const stops = Object.entries(listeners).map(([name, listener]) =>
        consumer.events.on(name as keyof ConsumerEvents, listener as (event: unknown) => void),
      )
      return () => {
        observed.delete(consumer)
        for (const stop of stops) stop()
      }
    },
    render: () =>
      renderMetrics([
        counter('warren_deliveries_settled_total', 'Deliveries by their outcome.', settled),
        histogram(durations),
        counter(
          'warren_settle_failures_total',
          'Retries and dead letters that could not be published.',
          publishFailures,
        ),
        counter(
          'warren_deliveries_stale_total',
          'Deliveries whose channel was lost before they were settled.',
          stale,
        ),
        counter(
          'warren_deliveries_remembered_total',
          'Redeliveries of messages that were already handled.',
          remembered,
        ),
        counter(
          'warren_consumer_starts_total',
          'How often consuming began, including after reconnects.',
          starts,
        ),
        counter('warren_consumer_interruptions_total', 'How often the channel was lost.', interruptions),
        gauge('warren_deliveries_in_hand', 'Deliveries in the process, by state.', inHand(observed)),
        gauge('warren_breaker_open', '1 while the breaker is open or probing.', breakers(observed)),
      ]),
  }
}

interface Counter {
  add(...labels: string[]): void
  samples(): readonly Sample[]
}

function createCounter(...names: string[]): Counter {
  const counts = new Map<string, number>()
  return {
    add: (...labels) => {
      const key = JSON.stringify(labels)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    samples: () =>
      [...counts].map(([key, value]) => {
        const labels = JSON.parse(key) as string[]
        return { labels: Object.fromEntries(names.map((name, index) => [name, labels[index] ?? ''])), value }
      }),
  }
}

function addDuration(durations: Map<string, Duration>, queue: string, seconds: number): void {
  const duration = durations.get(queue) ?? { counts: buckets.map(() => 0), sum: 0, total: 0 }
  durations.set(queue, duration)
  duration.sum += seconds
  duration.total += 1
  const bucket = buckets.findIndex((limit) => seconds <= limit)
  if (bucket >= 0) duration.counts[bucket]! += 1
}

function histogram(durations: ReadonlyMap<string, Duration>): Metric {
  const samples = [...durations].flatMap(([queue, { counts, sum, total }]) => {
    let upTo = 0
    const ofBuckets = counts.map((count, index) => {
      upTo += count
      return { suffix: '_bucket', labels: { queue, le: String(buckets[index]) }, value: upTo }
    })
    return [
      ...ofBuckets,
      { suffix: '_bucket', labels: { queue, le: '+Inf' }, value: total },
      { suffix: '_sum', labels: { queue }, value: sum },
      { suffix: '_count', labels: { queue }, value: total },
    ]
  })
  const help = 'From the start of a handler to the settlement of its delivery.'
  return { name: 'warren_delivery_duration_seconds', help, type: 'histogram', samples }
}

function counter(name: string, help: string, from: Counter): Metric {
  return { name, help, type: 'counter', samples: from.samples() }
}

function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, help, type: 'gauge', samples }
}

function inHand(observed: Iterable<Pick<Consumer, 'counts' | 'queue'>>): readonly Sample[] {
  const sums = new Map<string, number>()
  for (const { queue, counts } of observed) {
    for (const [state, count] of Object.entries(counts)) {
      const key = JSON.stringify([queue, state])
      sums.set(key, (sums.get(key) ?? 0) + count)
    }
  }
  return [...sums].map(([key, value]) => {
    const [queue = '', state = ''] = JSON.parse(key) as string[]
    return { labels: { queue, state }, value }
  })
}

function breakers(observed: Iterable<Pick<Consumer, 'breaker' | 'queue'>>): readonly Sample[] {
  const open = new Map<string, number>()
  for (const { queue, breaker } of observed) {
    open.set(queue, Math.max(open.get(queue) ?? 0, breaker === 'closed' ? 0 : 1))
  }
  return [...open].map(([queue, value]) => ({ labels: { queue }, value }))
}
