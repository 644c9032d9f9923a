import type { TopologyMistake } from 'warrenmq'
import {
  type CompiledQueue,
  compileTopology,
  formatDuration,
  type LiveTopology,
  planTopology,
  type QueueDeclaration,
  type RecognisedQueue,
  recogniseTopology,
  type TopologyDeclaration,
  validateTopology,
} from 'warrenmq/operations'
import { ownStreams } from '../own-streams.ts'

/** A declaration for what exists, and how far it can be trusted. */
export interface Adoption {
  readonly topology: TopologyDeclaration
  readonly queues: readonly RecognisedQueue[]
  readonly plainQueues: readonly string[]
  /** What each queue is for, and whose it is. */
  readonly roles: readonly AdoptedRole[]
  /** Queues that the broker named itself: they belong to a connection and come and go with it. */
  readonly leftOut: readonly string[]
  /** What stands on the broker but cannot be declared. */
  readonly mistakes: readonly TopologyMistake[]
  /** A plan from the declaration to what exists is empty. */
  readonly isSame: boolean
}

export type AdoptedRole = Pick<CompiledQueue, 'name' | 'role' | 'owner'>

/** Writes down what exists as a person would: layouts where it follows one, durations as text. */
export function adoptTopology(
  live: LiveTopology,
  also: Pick<TopologyDeclaration, 'publications'> = {},
): Adoption {
  const isReserved = (name: string) => name.startsWith('amq.')
  const isDeclarable = (name: string) => !isReserved(name) && !ownStreams.has(name)
  const leftOut = live.queues.map(({ name }) => name).filter(isReserved)
  const { topology, queues, plainQueues } = recogniseTopology({
    ...live,
    queues: live.queues.filter(({ name }) => isDeclarable(name)),
    bindings: live.bindings.filter(
      ({ destination, destinationType }) => destinationType !== 'queue' || isDeclarable(destination),
    ),
  })
  const readable = { ...withReadableDelays(topology), ...also }
  const mistakes = validateTopology(readable)
  return {
    topology: readable,
    queues,
    plainQueues,
    leftOut,
    mistakes,
    roles: mistakes.length === 0 ? rolesOf(readable, live) : [],
    isSame: mistakes.length === 0 && isSame(readable, live),
  }
}

function rolesOf(topology: TopologyDeclaration, { brokerVersion }: LiveTopology): readonly AdoptedRole[] {
  const { queues } = compileTopology(topology, { brokerVersion })
  return queues.map(({ name, role, owner }) => ({ name, role, owner }))
}

function isSame(topology: TopologyDeclaration, live: LiveTopology): boolean {
  const wanted = compileTopology(topology, { brokerVersion: live.brokerVersion })
  return planTopology({ wanted, live }).isEmpty
}

function withReadableDelays(topology: TopologyDeclaration): TopologyDeclaration {
  const queues = Object.entries<QueueDeclaration>(topology.queues).map(([name, queue]) => [
    name,
    queue.retry && queue.retry.delays !== undefined
      ? { ...queue, retry: { ...queue.retry, delays: queue.retry.delays.map(readableDelay) } }
      : queue,
  ])
  return { ...topology, queues: Object.fromEntries(queues) }
}

function readableDelay(delay: string | number): string | number {
  return typeof delay === 'number' ? formatDuration(delay) : delay
}
