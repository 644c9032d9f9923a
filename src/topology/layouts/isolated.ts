import { guessOneWaitQueue } from './guess-wait-queues.ts'
import { atLeastOnce, unlimitedDeliveries } from './hardening.ts'
import type { Layout, LayoutGuess, LayoutParts, ResolvedQueue } from './layout.ts'
import { bindQueue, declaredBindings, durableExchange, layoutQueue } from './layout-parts.ts'
import { rejectLoopFlow } from './reject-loop.ts'

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
  const hardened = of.isExact ? {} : atLeastOnce(of)
  // A delivery limit would send its victims round the wait loop without a rejection: a cycle, which is cut.
  const unlimited = of.isExact ? {} : unlimitedDeliveries(of)
  const toRetry = { 'x-dead-letter-exchange': retryExchange, 'x-dead-letter-routing-key': 'retry' }
  const toWork = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': queue }
  const ttl = { 'x-message-ttl': of.retry?.delaysMs[0] ?? 0 }

  return {
    exchanges: [durableExchange(retryExchange, 'direct'), durableExchange(dlqExchange, 'direct')],
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
    bindings: [
      ...declaredBindings(queue, of.bind ?? []),
      bindQueue(retryQueue, retryExchange, 'retry'),
      bindQueue(dlq, dlqExchange, 'parking'),
    ],
    flow: rejectLoopFlow({
      of,
      layout: 'isolated',
      queue,
      wait: { exchange: retryExchange, key: 'retry', queue: retryQueue },
      park: { kind: 'publish', exchange: dlqExchange, key: 'parking' },
      deadLetterQueue: dlq,
      redrive: { target: 'retry' },
    }),
  }
}

const part = { layout: 'isolated' } as const
