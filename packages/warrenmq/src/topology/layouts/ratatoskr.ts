import { warrenHeaders } from '../../message/warren-headers.ts'
import { guessOneWaitQueue } from './guess-tiers.ts'
import type { Layout, LayoutGuess, LayoutParts, ResolvedQueue } from './layout.ts'
import { bindQueue, declaredBindings, durableExchange } from './layout-queue.ts'
import { rejectLoopFlow, rejectLoopQueues } from './reject-loop.ts'

/** Ratatoskr: quorum queues, a wait queue reached and left through the default exchange, a fanout DLQ exchange. */
export const ratatoskr: Layout = {
  name: 'ratatoskr',
  summary: 'Quorum queues; a rejected message waits in X.retry and returns; dead letters go to X.dlq.',
  hasExactForm: true,
  retriesBy: 'reject',
  exactType: 'quorum',
  // The document leaves RetryDelay and MaxRetries to the service.
  defaultDelaysMs: [30_000],
  defaultMaxAttempts: 4,
  settings: [],
  compileQueue,
  guessDeclaration: (queue, live): LayoutGuess | undefined =>
    guessOneWaitQueue({
      live,
      waitQueue: `${queue}.retry`,
      guess: { name: queue, options: { name: 'ratatoskr' } },
    }),
}

function compileQueue(of: ResolvedQueue): LayoutParts {
  const queue = of.name
  const retryQueue = `${queue}.retry`
  const dlq = `${queue}.dlq`
  const loop = {
    of,
    layout: 'ratatoskr',
    queue,
    wait: { exchange: '', key: retryQueue, queue: retryQueue },
    deadLetterQueue: dlq,
  } as const

  return {
    exchanges: [durableExchange(dlq, 'fanout')],
    queues: rejectLoopQueues(loop),
    bindings: [...declaredBindings(queue, of.bind ?? []), bindQueue(dlq, dlq, '')],
    flow: rejectLoopFlow({
      ...loop,
      park: { kind: 'publish', exchange: dlq, key: undefined },
      retriesHeader: warrenHeaders.retryCount,
    }),
  }
}
