import type { FieldTable } from '../../../wire/field-value.ts'
import { readProperty } from '../../../wire/properties.ts'
import { decodeHeaders } from '../message/decode-headers.ts'
import type { Message } from '../message/message.ts'
import { lookUp, textOf } from '../message/terms.ts'
import type { Queue } from '../queue/queue.ts'
import type { Exchange, RoutedMessage } from './exchange.ts'

/** What routing needs to find: the queues and exchanges of one vhost. */
export interface RoutingScope {
  readonly queues: ReadonlyMap<string, Queue>
  readonly exchanges: ReadonlyMap<string, Exchange>
}

/** The queues that get a message which was published to `exchange`, each once. */
export function routeMessage(scope: RoutingScope, exchange: Exchange, message: Message): readonly Queue[] {
  if (exchange.name === '') return routeByQueueName(scope, message)
  const found = new Set<Queue>()
  const seen = new Set<Exchange>([exchange])
  const toVisit = [exchange]
  const routed: RoutedMessage = { routingKeys: message.routingKeys, headers: lazyHeaders(message) }
  for (let next = toVisit.pop(); next; next = toVisit.pop()) {
    for (const target of exchangesBehind(scope, next, routed, found)) {
      if (!seen.has(target)) toVisit.push(target)
      seen.add(target)
    }
  }
  return [...found]
}

function routeByQueueName(scope: RoutingScope, message: Message): readonly Queue[] {
  if (message.routingKeys.length === 1) {
    const queue = scope.queues.get(message.routingKeys[0]!)
    return queue ? [queue] : []
  }
  return [...new Set(message.routingKeys)].flatMap((key) => scope.queues.get(key) ?? [])
}

/** Collects the queues bound to one exchange; gives the exchanges to go on with. */
function exchangesBehind(
  scope: RoutingScope,
  exchange: Exchange,
  message: RoutedMessage,
  found: Set<Queue>,
): readonly Exchange[] {
  const targets: Exchange[] = []
  let isMatched = false
  exchange.bindings.match(message, (destination) => {
    isMatched = true
    if (destination.resourceKind === 'queue') found.add(destination)
    else targets.push(destination)
  })
  if (isMatched) return targets
  // The alternate exchange is for what no binding of this exchange takes, even a binding that leads nowhere.
  const alternate = scope.exchanges.get(alternateOf(exchange) ?? '')
  return alternate && alternate.name !== '' ? [alternate] : []
}

function alternateOf(exchange: Exchange): string | undefined {
  return (
    textOf(lookUp(exchange.arguments, 'alternate-exchange')) ??
    readPolicyText(exchange.policy.definition['alternate-exchange'])
  )
}

function readPolicyText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function lazyHeaders(message: Message): () => FieldTable {
  let headers: FieldTable | undefined
  return () => {
    if (!headers) {
      const encoded = readProperty(message.properties, 'headers')
      headers = encoded ? decodeHeaders(encoded) : []
    }
    return headers
  }
}
