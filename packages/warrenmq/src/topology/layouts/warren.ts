import { formatDuration } from '../../message/duration.ts'
import { warrenHeaders } from '../../message/warren-headers.ts'
import type { CompiledQueue } from '../compiled-topology.ts'
import type { DelayTier, QueueFlow } from '../queue-flow.ts'
import { atLeastOnce, unlimitedDeliveries } from './at-least-once.ts'
import { guessTiers } from './guess-tiers.ts'
import type { Layout, LayoutGuess, LayoutParts, ResolvedQueue } from './layout.ts'
import { bindQueue, declaredBindings, durableExchange, layoutQueue, seedHeaders } from './layout-queue.ts'

/**
 * The default. The work queue dead-letters to the terminal DLQ and nowhere else, so whatever the broker itself
 * gives up on is kept; retries travel by confirmed publish to one wait queue per delay, because messages expire
 * at the head only; and a wait queue returns through the default exchange, to the queue that failed.
 */
export const warren: Layout = {
  name: 'warren',
  summary:
    'Quorum queues, delay tiers by confirmed publish, return to the failing queue only, a DLQ that keeps its messages.',
  hasExactForm: false,
  retriesBy: 'publish',
  exactType: 'quorum',
  defaultDelaysMs: [5_000, 30_000, 300_000, 1_800_000],
  defaultMaxAttempts: 5,
  settings: ['poisonLimit'],
  compileQueue,
  guessDeclaration: (queue, live): LayoutGuess | undefined => {
    const delaysMs = guessTiers({ live, prefix: `${queue}.retry.` })
    if (live.queue(queue)?.arguments['x-dead-letter-exchange'] !== `${queue}.dlq`) return undefined
    return { name: queue, options: { name: 'warren' }, delaysMs }
  },
}

function compileQueue(of: ResolvedQueue): LayoutParts {
  const queue = of.name
  const dlq = `${queue}.dlq`
  const tiers = tiersOf(of)
  // Said on every version, so that a message that kills its consumer ends in the DLQ on 3.10 as on 4.x.
  const poisonLimit = of.type === 'quorum' ? { 'x-delivery-limit': of.poisonLimit } : {}
  // A fanout takes every key, a dead letter keeps its own, and a CC header cannot route a copy elsewhere.
  const toDlq = { 'x-dead-letter-exchange': dlq }

  return {
    exchanges: [durableExchange(dlq, 'fanout')],
    queues: [
      layoutQueue({
        layout,
        name: queue,
        role: 'work',
        of,
        args: { ...toDlq, ...atLeastOnce(of), ...poisonLimit },
      }),
      ...tiers.map((tier) => waitQueue(of, tier)),
      layoutQueue({ layout, name: dlq, role: 'dead-letter', of, args: unlimitedDeliveries(of) }),
    ],
    bindings: [...declaredBindings(queue, of.bind ?? []), bindQueue(dlq, dlq, '')],
    flow: flowOf({ of, tiers, dlq }),
  }
}

const layout = 'warren'

function tiersOf(of: ResolvedQueue): readonly DelayTier[] {
  const delays = [...new Set(of.retry?.delaysMs ?? [])].sort((left, right) => left - right)
  return delays.map((delayMs) => {
    const queue = `${of.name}.retry.${formatDuration(delayMs)}`
    return { delayMs, exchange: '', key: queue, queue }
  })
}

function waitQueue(of: ResolvedQueue, { queue, delayMs }: DelayTier): CompiledQueue {
  const args = {
    'x-message-ttl': delayMs,
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': of.name,
    ...atLeastOnce(of),
  }
  return layoutQueue({ layout, name: queue, role: 'wait', of, args })
}

const headers = { ...seedHeaders, attempts: warrenHeaders.attempts }

function flowOf({
  of,
  tiers,
  dlq,
}: {
  of: ResolvedQueue
  tiers: readonly DelayTier[]
  dlq: string
}): QueueFlow {
  const first = tiers[0]
  return {
    name: of.name,
    queue: of.name,
    layout: 'warren',
    isExact: false,
    retry: first === undefined ? undefined : { kind: 'publish', tiers, scheduleMs: of.retry?.delaysMs ?? [] },
    defer: { short: 'hold', tiers },
    park: { kind: 'publish', exchange: dlq, key: undefined },
    attempts: { kind: 'header', header: warrenHeaders.attempts },
    maxAttempts: of.retry?.maxAttempts ?? 1,
    redrive: {
      origin: { exchange: '', key: of.name },
      retry: first === undefined ? undefined : { exchange: first.exchange, key: first.key },
      exchange: of.bind?.[0]?.exchange,
    },
    waitQueues: tiers.map(({ queue }) => queue),
    deadLetterQueue: dlq,
    headers,
  }
}
