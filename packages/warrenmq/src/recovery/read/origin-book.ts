import type { LiveQueue, LiveTopology } from '../../topology/live-topology.ts'
import type { QueueFlow } from '../../topology/queue-flow.ts'
import { recogniseFlows } from '../../topology/recognise-topology.ts'
import { indexRoutes, type RouteIndex } from '../../topology/route.ts'
import { deadLetterTargets, parkingQueues } from './decide-dead-letter-queues.ts'
import { isOwnQueue } from './is-own-queue.ts'

/** Tells where the messages of a dead-letter queue can have failed. */
export interface OriginBook {
  /**
   * Whether a message of the queue cannot have failed there, whatever its headers say: anybody who may publish can write
   * them, and what is put back is published with the permissions of who puts it back.
   */
  isForeign(queue: string): boolean
}

export interface OriginQuestion {
  readonly deadLetterQueue: string
  readonly flows: readonly QueueFlow[]
  /** Headers are believed if nothing else says who parks here, as with other kinds of programs. */
  readonly trustHeaders: boolean
}

/** Knows the queues that dead-letter into this one, over any number of stations, and those whose flow parks here. */
export function openOriginBook(live: LiveTopology | undefined, question: OriginQuestion): OriginBook {
  const { deadLetterQueue, flows, trustHeaders } = question
  if (!live) return openBlindBook(question)
  const routes = indexRoutes(live)
  const known = findUpstream(live, routes, [deadLetterQueue])
  for (const queue of parkedBy(flows, { deadLetterQueue, routes })) known.add(queue)
  let recognised: ReadonlySet<string> | undefined
  return {
    isForeign: (queue) => {
      if (isOwnQueue(queue)) return true
      if (known.has(queue) || (known.size === 0 && trustHeaders)) return false
      // Searched only if it matters: a program that parks by publishing sets no argument.
      recognised ??= new Set(parkedBy(recogniseFlows(live), { deadLetterQueue, routes }))
      return !recognised.has(queue)
    },
  }
}

/** If the broker cannot be asked, only the declaration tells. */
function openBlindBook({ deadLetterQueue, flows, trustHeaders }: OriginQuestion): OriginBook {
  const parking = flows.filter((flow) => flow.deadLetterQueue === deadLetterQueue)
  const known = new Set(parking.flatMap(({ queue, waitQueues }) => [queue, ...waitQueues]))
  return { isForeign: (queue) => isOwnQueue(queue) || !(trustHeaders || known.has(queue)) }
}

/** All queues whose messages come to one of these when they die, hop after hop. */
function findUpstream(live: LiveTopology, routes: RouteIndex, to: readonly string[]): Set<string> {
  const sources = new Map<string, LiveQueue[]>()
  for (const queue of live.queues)
    for (const target of deadLetterTargets(queue, routes))
      sources.set(target, [...(sources.get(target) ?? []), queue])
  const found = new Set<string>()
  const open = [...to]
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const { name } of sources.get(next) ?? []) {
      if (found.has(name)) continue
      found.add(name)
      open.push(name)
    }
  return found
}

/** The queues of flows that park here, and the wait queues on their way. */
function parkedBy(
  flows: readonly QueueFlow[],
  { deadLetterQueue, routes }: { readonly deadLetterQueue: string; readonly routes: RouteIndex },
): readonly string[] {
  return flows
    .filter((flow) => parkingQueues(flow, routes).includes(deadLetterQueue))
    .flatMap(({ queue, waitQueues }) => [queue, ...waitQueues])
}
