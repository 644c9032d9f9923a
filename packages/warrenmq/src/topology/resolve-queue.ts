import type { BrokerCapabilities } from '../message/broker-capabilities.ts'
import type {
  LayoutChoice,
  LayoutOptions,
  QueueDeclaration,
  RetryDeclaration,
  TopologyDeclaration,
} from './declaration.ts'
import type { Layout, ResolvedQueue, ResolvedRetry } from './layouts/layout.ts'
import { layouts } from './layouts/layouts.ts'
import { parseDelay } from './read-delay.ts'

/** The layout a queue is laid out by, with its parameters. The queue's choice wins over the topology's. */
export function layoutOf(topology: TopologyDeclaration, queue: QueueDeclaration): LayoutOptions {
  const ofTopology = optionsOf(topology.layout ?? 'warren')
  if (queue.layout === undefined) return ofTopology
  const ofQueue = optionsOf(queue.layout)
  // A queue that only repeats the name keeps the parameters that were set for all.
  return ofQueue.name === ofTopology.name ? { ...ofTopology, ...ofQueue } : ofQueue
}

export function optionsOf(choice: LayoutChoice): LayoutOptions {
  return typeof choice === 'string' ? { name: choice } : choice
}

export function isExactQueue(topology: TopologyDeclaration, queue: QueueDeclaration): boolean {
  return queue.exact ?? topology.exact ?? false
}

/** Fills in every default of one declared queue. */
export function resolveQueue({ topology, name, queue, capabilities }: QueueToResolve): ResolvedQueue {
  const options = layoutOf(topology, queue)
  const layout = layouts[options.name]
  const isExact = isExactQueue(topology, queue) && layout.hasExactForm
  return {
    name,
    options,
    isExact,
    capabilities,
    type: queue.type ?? (isExact ? layout.exactType : 'quorum'),
    durable: queue.durable ?? true,
    autoDelete: queue.autoDelete ?? false,
    bind: queue.bind,
    retry: queue.retry === false ? undefined : resolveRetry(layout, queue.retry ?? {}),
    poisonLimit: queue.poisonLimit ?? 20,
    domain: queue.domain,
    arguments: queue.arguments ?? {},
    deadLetterArguments: (queue.deadLetter || undefined)?.arguments ?? {},
  }
}

export interface QueueToResolve {
  readonly topology: TopologyDeclaration
  readonly name: string
  readonly queue: QueueDeclaration
  readonly capabilities: BrokerCapabilities
}

function resolveRetry(layout: Layout, retry: RetryDeclaration): ResolvedRetry {
  const delaysMs = retry.delays?.map(parseDelay) ?? layout.defaultDelaysMs
  return {
    delaysMs,
    maxAttempts: maxAttemptsOf({ layout, retry, delaysMs }),
    arguments: retry.arguments ?? {},
  }
}

function maxAttemptsOf({
  layout,
  retry,
  delaysMs,
}: {
  layout: Layout
  retry: RetryDeclaration
  delaysMs: readonly number[]
}): number {
  if (retry.maxAttempts !== undefined) return retry.maxAttempts
  if (retry.maxRetries !== undefined) return retry.maxRetries + 1
  // Who names delays and no number means: try each of them once.
  const isLadder = layout.retriesBy === 'publish' && retry.delays !== undefined
  return isLadder ? delaysMs.length + 1 : layout.defaultMaxAttempts
}
