import type {
  CompiledBinding,
  CompiledExchange,
  CompiledQueue,
  CompiledTopology,
} from './compiled-topology.ts'
import type { QueueType } from './declaration.ts'
import { diffTopology, type SettingChange, type TopologyDifference } from './diff-topology.ts'
import type { PolicyConflict } from './effective-value.ts'
import { isSameValue } from './is-same-value.ts'
import type { LiveBinding, LiveQueue, LiveTopology } from './live-topology.ts'
import { type WayOut, waysOutOf } from './ways-out.ts'

/** The steps that lead from a live broker to the wanted topology, and what no step can do. */
export interface Plan {
  /**
   * There is nothing to do. Leftovers, unmanaged objects and settings that policies override are listed, but do not
   * count.
   */
  readonly isEmpty: boolean
  /** Steps that take nothing away. */
  readonly safe: readonly SafeStep[]
  /** Steps that remove something; `apply` refuses a plan with any. */
  readonly disruptive: readonly DisruptiveStep[]
  /** Changes that RabbitMQ cannot make in place. */
  readonly impossible: readonly ImpossibleStep[]
  /** Wait queues of delays that were dropped: they drain by themselves. Told, and removed only on request. */
  readonly leftovers: readonly Leftover[]
  /** Bindings to managed queues from exchanges that this topology does not know. */
  readonly unmanaged: readonly LiveBinding[]
  /** Policies that override what the topology says. */
  readonly policyConflicts: readonly PolicyConflict[]
}

/** A step that takes nothing away. */
export type SafeStep =
  | {
      readonly kind: 'create-exchange'
      /** The exchange to create. */
      readonly exchange: CompiledExchange
    }
  | {
      readonly kind: 'create-queue'
      /** The queue to create. */
      readonly queue: CompiledQueue
    }
  | {
      readonly kind: 'add-binding'
      /** The binding to add. */
      readonly binding: CompiledBinding
    }

/** A step that removes something. */
export interface DisruptiveStep {
  /** What it does. */
  readonly kind: 'remove-binding'
  /** The binding to remove. */
  readonly binding: LiveBinding
}

/** A wait queue that nothing declared publishes to any more. A replica of an older release may. */
export interface Leftover {
  /** What would remove it. */
  readonly kind: 'delete-queue'
  /** The wait queue. */
  readonly queue: string
  /** Its type. */
  readonly type: QueueType
  /** The queue to which its messages return, and whose consumers publish to it. */
  readonly of: string
  /** Messages in it, if known. */
  readonly messages: number | undefined
  /** Its consumers, if known. */
  readonly consumers: number | undefined
}

/** What RabbitMQ cannot change on a thing that exists. */
export interface ImpossibleStep {
  /** What would have to change. */
  readonly kind: 'change-exchange' | 'change-queue'
  /** The exchange or the queue. */
  readonly name: string
  /** The settings that differ. */
  readonly changes: readonly SettingChange[]
  /** Messages in the queue, if known. */
  readonly messages: number | undefined
  /** What you can do. */
  readonly waysOut: readonly WayOut[]
}

/**
 * Plans the way from `live` to `wanted`. With `exactForm`, the same declaration compiled with `exact: true`, a
 * queue that stands as the layout's document says is told apart from one that is simply different.
 * @example
 * ```ts
 * const plan = planTopology({ wanted: compiled, live })
 * ```
 */
export function planTopology({ wanted, live, exactForm }: PlanInput): Plan {
  const difference = diffTopology(wanted, live)
  const exactQueues = new Map((exactForm?.queues ?? []).map((queue) => [queue.name, queue]))
  const safe = safeSteps(difference)
  const disruptive = disruptiveSteps(difference)
  const impossible = impossibleSteps(difference, exactQueues)
  return {
    isEmpty: safe.length + disruptive.length + impossible.length === 0,
    safe,
    disruptive,
    impossible,
    leftovers: difference.leftovers.map(({ queue: { name, type, messages, consumers }, of }) => ({
      kind: 'delete-queue' as const,
      queue: name,
      type,
      of,
      messages,
      consumers,
    })),
    unmanaged: difference.foreignBindings,
    policyConflicts: difference.policyConflicts,
  }
}

/** What is wanted, and what is there. */
export interface PlanInput {
  /** What the declaration comes to on this broker version. */
  readonly wanted: CompiledTopology
  /** What is on the broker now. */
  readonly live: LiveTopology
  /** The same declaration compiled with `exact: true`: conflicts are explained by it. */
  readonly exactForm?: CompiledTopology
}

// A binding needs both of its ends, so it comes last; nothing else here depends on order.
function safeSteps(difference: TopologyDifference): readonly SafeStep[] {
  return [
    ...difference.missingExchanges.map((exchange) => ({ kind: 'create-exchange' as const, exchange })),
    ...difference.missingQueues.map((queue) => ({ kind: 'create-queue' as const, queue })),
    ...difference.missingBindings.map((binding) => ({ kind: 'add-binding' as const, binding })),
  ]
}

function disruptiveSteps({ staleBindings }: TopologyDifference): readonly DisruptiveStep[] {
  return staleBindings.map((binding) => ({ kind: 'remove-binding', binding }))
}

function impossibleSteps(
  { changedExchanges, changedQueues }: TopologyDifference,
  exactQueues: ReadonlyMap<string, CompiledQueue>,
): readonly ImpossibleStep[] {
  const ofExchanges = changedExchanges.map(({ wanted, changes }) => ({
    kind: 'change-exchange' as const,
    name: wanted.name,
    changes,
    messages: undefined,
    waysOut: waysOutOf({ kind: 'exchange', changes }),
  }))
  const ofQueues = changedQueues.map(({ wanted, live, changes }) => ({
    kind: 'change-queue' as const,
    name: wanted.name,
    changes,
    messages: live.messages,
    waysOut: waysOutOf({
      kind: 'queue',
      changes,
      live,
      isExactForm: isAsExact(live, exactQueues.get(wanted.name)),
    }),
  }))
  return [...ofExchanges, ...ofQueues]
}

function isAsExact(live: LiveQueue, exact: CompiledQueue | undefined): boolean {
  return exact !== undefined && exact.type === live.type && isSameValue(exact.arguments, live.arguments)
}
