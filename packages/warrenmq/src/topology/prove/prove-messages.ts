import type { QueueDeclaration } from '../declaration.ts'
import type { Route } from '../route.ts'
import { addressStep, type BrokenProperty } from './finding.ts'
import type { TopologyGraph } from './topology-graph.ts'

type Broken = BrokenProperty<'no-black-hole'>

/**
 * Every message reaches a queue, and a queue that says what it handles gets each of these and nothing else. Headers and
 * plugins choose by what nobody knows here: a queue that may get a message is not said to miss it, nor to get it.
 */
export function* proveMessages(graph: TopologyGraph): Generator<Broken> {
  const messages = Object.entries(graph.topology.declaration.messages ?? {})
  for (const [name, { exchange, key = '' }] of messages) {
    const possible = namesOf(graph.routes.mayRoute(exchange, key))
    if (possible.size === 0) yield unrouted(name, addressStep(exchange, key))
    const sure = namesOf(graph.routes.route({ exchange, key }))
    for (const { queue, handles } of queuesWithHandlers(graph)) {
      if (handles.includes(name) && possible.size > 0 && !possible.has(queue)) yield unreached(queue, name)
      if (!handles.includes(name) && sure.has(queue)) yield unhandled(queue, name)
    }
  }
}

function queuesWithHandlers({ topology: { flows, declaration } }: TopologyGraph) {
  const queues: Readonly<Record<string, QueueDeclaration>> = declaration.queues
  return flows.flatMap(({ name, queue }) => {
    const { handles } = queues[name]!
    return handles === undefined ? [] : [{ queue, handles }]
  })
}

function namesOf(routes: readonly Route[]): ReadonlySet<string> {
  return new Set(routes.map(({ queue }) => queue))
}

function unrouted(message: string, address: string): Broken {
  return {
    code: 'message-unrouted',
    queue: undefined,
    path: [`publish ${message}`, address, 'no queue'],
    problem: `The message ${message} reaches no queue; each publish of it is returned.`,
    wayOut: 'Bind a queue to it. If its queues are declared elsewhere, accept this finding.',
  }
}

function unreached(queue: string, message: string): Broken {
  return {
    code: 'handler-unreached',
    queue,
    path: [`publish ${message}`, 'other queues'],
    problem: `The queue "${queue}" has a handler for ${message}, which never gets there.`,
    wayOut: `Bind the queue with the key of ${message}, or take it off "handles".`,
  }
}

function unhandled(queue: string, message: string): Broken {
  return {
    code: 'message-unhandled',
    queue,
    path: [`publish ${message}`, queue, 'no handler', 'parked'],
    problem: `The message ${message} reaches "${queue}", which has no handler for it.`,
    wayOut: 'Add it to "handles" and to the handlers of its consumer, or narrow the binding.',
  }
}
