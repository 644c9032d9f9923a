import type { ParkRule, PublishAddress, QueueFlow, RedriveRule } from '../queue-flow.ts'
import type { ResolvedQueue } from './layout.ts'
import type { LayoutName } from './layout-names.ts'
import { seedHeaders } from './layout-parts.ts'

/** The flow of a layout whose consumers reject a failed message into the one wait queue of its queue. */
export function rejectLoopFlow({
  of,
  layout,
  queue,
  wait,
  park,
  deadLetterQueue,
  redrive,
  defer,
}: RejectLoop): QueueFlow {
  const delayMs = of.retry?.delaysMs[0] ?? 0
  return {
    name: of.name,
    queue,
    layout,
    isExact: of.isExact,
    retry: { kind: 'reject', delayMs, waitQueue: wait.queue },
    // A publish to the wait queue is no rejection, so a deferred message is not counted as a failed one.
    defer: defer ?? { short: 'hold', tiers: [{ ...wait, delayMs }] },
    park,
    attempts: { kind: 'rejections', queue, baseHeader: seedHeaders.attempts },
    maxAttempts: of.retry?.maxAttempts ?? 1,
    redrive: {
      target: 'origin',
      attempts: 'reset',
      origin: { exchange: '', key: queue },
      retry: { exchange: wait.exchange, key: wait.key },
      exchange: of.bind?.[0]?.exchange,
      ...redrive,
    },
    waitQueues: [wait.queue],
    deadLetterQueue,
    headers: seedHeaders,
  }
}

interface RejectLoop {
  readonly of: ResolvedQueue
  readonly layout: LayoutName
  /** On the broker. */
  readonly queue: string
  readonly wait: PublishAddress & { readonly queue: string }
  readonly park: ParkRule
  readonly deadLetterQueue: string
  readonly redrive?: Partial<RedriveRule>
  readonly defer?: QueueFlow['defer']
}
