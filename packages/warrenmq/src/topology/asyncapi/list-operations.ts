import type { CompiledTopology } from '../compiled-topology.ts'
import type { QueueDeclaration } from '../declaration.ts'
import type { QueueFlow } from '../queue-flow.ts'
import { indexRoutes } from '../route.ts'

/** Where messages are sent to or received from: a key of an exchange, or a queue. */
export interface Channel {
  readonly is: 'routingKey' | 'queue'
  /** Missing where it is a queue. */
  readonly exchange?: string
  /** The key, or the name of the queue. */
  readonly address: string
}

/** What is done with messages at a channel. */
export interface Operation {
  readonly action: 'send' | 'receive'
  readonly channel: Channel
  readonly messages: readonly string[]
  /** Of the queue that is received from. */
  readonly flow?: QueueFlow
}

/** Each message is sent to its address, and received from the queues that handle it. */
export function listOperations(topology: CompiledTopology): readonly Operation[] {
  return [...listSends(topology), ...listReceives(topology)]
}

function listSends({ declaration: { messages = {} } }: CompiledTopology): readonly Operation[] {
  return Object.entries(messages).map(([name, { exchange, key: address = '' }]) => ({
    action: 'send',
    channel: exchange === '' ? { is: 'queue', address } : { is: 'routingKey', exchange, address },
    messages: [name],
  }))
}

/** A queue that does not say what it handles gets what may reach it: nobody knows more of a headers exchange. */
function listReceives(topology: CompiledTopology): readonly Operation[] {
  const messages = Object.entries(topology.declaration.messages ?? {})
  const queues: Readonly<Record<string, QueueDeclaration>> = topology.declaration.queues
  const routes = indexRoutes(topology)
  const namesReaching = (queue: string) =>
    messages
      .filter(([, { exchange, key = '' }]) => routes.mayRoute(exchange, key).some((to) => to.queue === queue))
      .map(([name]) => name)
  return topology.flows
    .map((flow): Operation => {
      const names = queues[flow.name]?.handles ?? namesReaching(flow.queue)
      return { action: 'receive', channel: { is: 'queue', address: flow.queue }, messages: names, flow }
    })
    .filter((operation) => operation.messages.length > 0)
}
