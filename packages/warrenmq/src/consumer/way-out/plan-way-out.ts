import type { Arguments } from '../../topology/declaration.ts'
import type { PublishAddress, QueueFlow } from '../../topology/queue-flow.ts'

/** One step on the way of a failed message: where it is sent from, and the queue that must get it. */
export interface WayStep {
  /** The queue whose dead letters take this step; undefined if the consumer publishes, which tells it what got lost. */
  readonly from: string | undefined
  /** Where the step sends the message; empty for the default exchange. */
  readonly exchange: string
  /** Undefined: the message keeps its own. */
  readonly key: string | undefined
  /** Undefined: any queue, because its owner alone knows which. */
  readonly to: string | undefined
  /** Messages wait in `from` for their time to live. */
  readonly waits: boolean
  /** Only the broker itself sends messages this way, over a delivery limit; no outcome of this consumer does. */
  readonly isBrokersOwn: boolean
}

/** Every step that a failed message of this queue may take, as its flow was declared. */
export function planWayOut(flow: QueueFlow): readonly WayStep[] {
  return [...rejecting(flow), ...publishing(flow), ...returning(flow)]
}

function rejecting({ queue, retry, park, declared, deadLetterQueue }: QueueFlow): readonly WayStep[] {
  const own = park?.kind === 'reject' ? park.to : undefined
  const to = own ?? deadLettersOf(declared?.find(({ name }) => name === queue)?.arguments)
  if (!to) return []
  const isTaken = retry?.kind === 'reject' || park?.kind === 'reject'
  // The default exchange leads to the queue of that name, whoever owns it.
  const ownTarget = to.exchange === '' ? to.key : undefined
  const target = retry?.kind === 'reject' ? retry.waitQueue : (deadLetterQueue ?? ownTarget)
  return [{ from: queue, ...to, to: target, waits: false, isBrokersOwn: !isTaken }]
}

function publishing({ retry, defer, park, deadLetterQueue }: QueueFlow): readonly WayStep[] {
  const tiers = [...(retry?.kind === 'publish' ? retry.tiers : []), ...defer.tiers]
  const byQueue = new Map(tiers.map((tier) => [tier.queue, tier]))
  const steps = [...byQueue.values()].map((tier) => publish(tier, tier.queue))
  return park?.kind === 'publish' ? [...steps, publish(park, deadLetterQueue)] : steps
}

function returning({ queue, waitQueues, declared = [] }: QueueFlow): readonly WayStep[] {
  return declared.flatMap(({ name, arguments: args }) => {
    const to = deadLettersOf(args)
    if (!to || !waitQueues.includes(name)) return []
    return [{ from: name, ...to, to: queue, waits: true, isBrokersOwn: false }]
  })
}

function publish(
  { exchange, key }: Omit<PublishAddress, 'key'> & { readonly key: string | undefined },
  to: string | undefined,
): WayStep {
  return { from: undefined, exchange, key, to, waits: false, isBrokersOwn: false }
}

function deadLettersOf(args: Arguments = {}): Pick<WayStep, 'exchange' | 'key'> | undefined {
  const { 'x-dead-letter-exchange': exchange, 'x-dead-letter-routing-key': key } = args
  if (typeof exchange !== 'string') return undefined
  return { exchange, key: typeof key === 'string' ? key : undefined }
}
