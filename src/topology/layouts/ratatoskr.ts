import { guessOneWaitQueue } from './guess-wait-queues.ts'
import { atLeastOnce, unlimitedDeliveries } from './hardening.ts'
import type { Layout, LayoutGuess, LayoutParts, ResolvedQueue } from './layout.ts'
import { bindQueue, declaredBindings, durableExchange, layoutQueue } from './layout-parts.ts'
import { rejectLoopFlow } from './reject-loop.ts'

/** Ratatoskr: quorum queues, a wait queue reached and left through the default exchange, a fanout DLQ exchange. */
export const ratatoskr: Layout = {
  name: 'ratatoskr',
  summary: 'Quorum queues; a rejected message waits in X.retry and returns; parked ones go to X.dlq.',
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
  const hardened = of.isExact ? {} : atLeastOnce(of)
  // The work queue's dead letters go round the wait loop, so a delivery limit there would end in a cut cycle.
  const unlimited = of.isExact ? {} : unlimitedDeliveries(of)
  const toRetry = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': retryQueue }
  const toWork = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': queue }
  const ttl = { 'x-message-ttl': of.retry?.delaysMs[0] ?? 0 }

  return {
    exchanges: [durableExchange(dlq, 'fanout')],
    queues: [
      layoutQueue({
        ...part,
        name: queue,
        role: 'work',
        of,
        args: { ...toRetry, ...hardened, ...unlimited },
      }),
      layoutQueue({ ...part, name: retryQueue, role: 'wait', of, args: { ...toWork, ...ttl, ...hardened } }),
      layoutQueue({ ...part, name: dlq, role: 'dead-letter', of, args: unlimited }),
    ],
    bindings: [...declaredBindings(queue, of.bind ?? []), bindQueue(dlq, dlq, '')],
    flow: rejectLoopFlow({
      of,
      layout: 'ratatoskr',
      queue,
      wait: { exchange: '', key: retryQueue, queue: retryQueue },
      park: { kind: 'publish', exchange: dlq, key: undefined },
      deadLetterQueue: dlq,
    }),
  }
}

const part = { layout: 'ratatoskr' } as const
