import { warrenHeaders } from '../../message/warren-headers.ts'
import type { CompiledQueue } from '../compiled-topology.ts'
import type { ParkRule, PublishAddress, QueueFlow, RedriveRule } from '../queue-flow.ts'
import { atLeastOnce, unlimitedDeliveries } from './at-least-once.ts'
import type { ResolvedQueue } from './layout.ts'
import type { LayoutName } from './layout-names.ts'
import { layoutQueue, seedHeaders } from './layout-queue.ts'

/** The work queue, its one wait queue and its DLQ. The work queue's dead letters go to `wait`, and from there home. */
export function rejectLoopQueues({
  of,
  layout,
  queue,
  wait,
  deadLetterQueue,
}: Pick<RejectLoop, 'of' | 'layout' | 'queue' | 'wait' | 'deadLetterQueue'>): readonly CompiledQueue[] {
  const hardened = of.isExact ? {} : atLeastOnce(of)
  // A delivery limit would send its victims round the wait loop without a rejection: a cycle, which is cut.
  const unlimited = of.isExact ? {} : unlimitedDeliveries(of)
  const toWait = { 'x-dead-letter-exchange': wait.exchange, 'x-dead-letter-routing-key': wait.key }
  const toWork = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': queue }
  const ttl = { 'x-message-ttl': of.retry?.delaysMs[0] ?? 0 }
  return [
    layoutQueue({ layout, name: queue, role: 'work', of, args: { ...toWait, ...hardened, ...unlimited } }),
    layoutQueue({ layout, name: wait.queue, role: 'wait', of, args: { ...toWork, ...ttl, ...hardened } }),
    layoutQueue({ layout, name: deadLetterQueue, role: 'dead-letter', of, args: unlimited }),
  ]
}

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
  retriesHeader,
}: RejectLoop): QueueFlow {
  const delayMs = of.retry?.delaysMs[0] ?? 0
  // Where a header says the retries, and they are one less than the attempts that failed, the attempts have their own.
  const headers =
    retriesHeader === undefined ? seedHeaders : { ...seedHeaders, attempts: warrenHeaders.attempts }
  return {
    name: of.name,
    queue,
    layout,
    isExact: of.isExact,
    retry: { kind: 'reject', delayMs, waitQueue: wait.queue },
    // A publish to the wait queue is no rejection, so a deferred message is not counted as a failed one.
    defer: defer ?? { short: 'hold', tiers: [{ ...wait, delayMs }] },
    park,
    attempts: {
      kind: 'rejections',
      queue,
      baseHeader: headers.attempts,
      ...(retriesHeader !== undefined && { retriesHeader }),
    },
    maxAttempts: of.retry?.maxAttempts ?? 1,
    redrive: {
      origin: { exchange: '', key: queue },
      retry: { exchange: wait.exchange, key: wait.key },
      exchange: of.bind?.[0]?.exchange,
      ...redrive,
    },
    waitQueues: [wait.queue],
    deadLetterQueue,
    headers,
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
  /** The header in which the document counts retries. */
  readonly retriesHeader?: string
}
