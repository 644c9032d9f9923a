import { guessOneWaitQueue } from './guess-tiers.ts'
import type { Layout, LayoutGuess, LayoutParts, ResolvedQueue } from './layout.ts'
import { bindQueue, declaredBindings, durableExchange } from './layout-queue.ts'
import { rejectLoopFlow, rejectLoopQueues } from './reject-loop.ts'

/**
 * Isolated: a retry exchange and a DLQ exchange for each queue, so that a retry is seen by nobody else. The
 * document names no queue type, which makes classic queues; the hardened form makes all three quorum, because
 * only quorum queues dead-letter at least once, and mixing the two loses what expires during a restart.
 */
export const isolated: Layout = {
  name: 'isolated',
  summary: 'Per queue a retry exchange (15 s, 3 attempts) and a DLQ exchange with keys retry and parking.',
  hasExactForm: true,
  retriesBy: 'reject',
  exactType: 'classic',
  defaultDelaysMs: [15_000],
  defaultMaxAttempts: 3,
  settings: [],
  compileQueue,
  guessDeclaration: (queue, live): LayoutGuess | undefined =>
    guessOneWaitQueue({
      live,
      waitQueue: `${queue}.retry`,
      guess: { name: queue, options: { name: 'isolated' } },
    }),
}

function compileQueue(of: ResolvedQueue): LayoutParts {
  const queue = of.name
  const retryExchange = `retry.${queue}`
  const retryQueue = `${queue}.retry`
  const dlqExchange = `dlq.${queue}`
  const dlq = `${queue}.dlq`
  const loop = {
    of,
    layout: 'isolated',
    queue,
    wait: { exchange: retryExchange, key: 'retry', queue: retryQueue },
    deadLetterQueue: dlq,
  } as const

  return {
    exchanges: [durableExchange(retryExchange, 'direct'), durableExchange(dlqExchange, 'direct')],
    queues: rejectLoopQueues(loop),
    bindings: [
      ...declaredBindings(queue, of.bind ?? []),
      bindQueue(retryQueue, retryExchange, 'retry'),
      bindQueue(dlq, dlqExchange, 'parking'),
    ],
    flow: rejectLoopFlow({
      ...loop,
      park: { kind: 'publish', exchange: dlqExchange, key: 'parking' },
    }),
  }
}
