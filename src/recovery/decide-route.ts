import { brokerCapabilities } from '../message/broker-capabilities.ts'
import type { Arguments } from '../topology/declaration.ts'
import { effectiveValue } from '../topology/effective-arguments.ts'
import type { LiveQueue, LiveTopology } from '../topology/live-topology.ts'
import { indexRoutes, type RouteIndex } from '../topology/route.ts'

/** Whether a re-drive to an address arrives, as far as the topology tells. */
export type RouteProof =
  | {
      readonly isSafe: true
      readonly queues: readonly string[]
      /** Where a message goes that fails there again, and whether one that nobody takes in time is deleted. */
      readonly secondFailure: string
    }
  | { readonly isSafe: false; readonly problem: string }

export interface RouteBook {
  prove(address: { readonly exchange: string; readonly key: string }): RouteProof
}

/** Proves routes out of one reading of the broker; each address once. */
export function openRouteBook(live: LiveTopology, deadLetterQueue: string): RouteBook {
  const routes = indexRoutes(live)
  const queues = new Map(live.queues.map((queue) => [queue.name, queue]))
  const proofs = new Map<string, RouteProof>()
  let last: { readonly exchange: string; readonly key: string; readonly proof: RouteProof } | undefined
  const find = (exchange: string, key: string): RouteProof => {
    const name = `${exchange}\0${key}`
    const proof = proofs.get(name) ?? decideRoute({ live, routes, queues, deadLetterQueue, exchange, key })
    proofs.set(name, proof)
    return proof
  }
  return {
    prove: ({ exchange, key }) => {
      // The next message mostly goes where the last one went; comparing is cheaper than making up a name.
      if (last?.key !== key || last.exchange !== exchange)
        last = { exchange, key, proof: find(exchange, key) }
      return last.proof
    },
  }
}

interface RouteQuestion {
  readonly live: LiveTopology
  readonly routes: RouteIndex
  readonly queues: ReadonlyMap<string, LiveQueue>
  readonly deadLetterQueue: string
  readonly exchange: string
  readonly key: string
}

function decideRoute(question: RouteQuestion): RouteProof {
  const { routes, queues, deadLetterQueue, exchange, key } = question
  if (!routes.hasExchange(exchange)) return refuse(`There is no exchange "${exchange}".`)
  // What a headers exchange does is up to each message; there the broker's own return is the proof.
  const isByHeaders = routes.exchangeType(exchange) === 'headers'
  const reached = (isByHeaders ? routes.mayRoute(exchange, key) : routes.route({ exchange, key })).map(
    ({ queue }) => queue,
  )
  if (reached.length === 0) return refuse(nothingReached(exchange, key))
  if (reached.includes(deadLetterQueue)) {
    return refuse(`${describe(exchange, key)} leads back into the dead-letter queue "${deadLetterQueue}".`)
  }
  for (const name of reached) {
    const queue = queues.get(name)
    if (queue && dropsOldest(queue, question.live)) {
      return refuse(`The queue "${name}" drops its oldest message when it is full (overflow drop-head).`)
    }
  }
  return { isSafe: true, queues: reached, secondFailure: describeSecondFailure(question, reached) }
}

function nothingReached(exchange: string, key: string): string {
  return exchange === ''
    ? `There is no queue "${key}".`
    : `No queue is bound to the exchange "${exchange}" for the key "${key}".`
}

function dropsOldest(queue: LiveQueue, live: LiveTopology): boolean {
  const isBounded = ['x-max-length', 'x-max-length-bytes'].some(
    (argument) => setting(queue, live, argument) !== undefined,
  )
  return isBounded && (setting(queue, live, 'x-overflow') ?? 'drop-head') === 'drop-head'
}

function describeSecondFailure(question: RouteQuestion, reached: readonly string[]): string {
  const ends = reached.map((name) => {
    const queue = question.queues.get(name)
    const exchange = queue && setting(queue, question.live, 'x-dead-letter-exchange')
    if (typeof exchange !== 'string')
      return `"${name}" has no dead-letter exchange${expiryWarning(queue, question.live)}`
    const own = setting(queue!, question.live, 'x-dead-letter-routing-key')
    const next = question.routes.route({ exchange, key: typeof own === 'string' ? own : question.key })
    const names = next.map((route) => `"${route.queue}"`)
    return names.length === 0
      ? `"${name}" dead-letters to nowhere${expiryWarning(queue, question.live)}`
      : `"${name}" to ${names.join(', ')}`
  })
  return ends.join('; ')
}

/** No refusal: whether it is long enough for the consumers, only a person can tell. */
function expiryWarning(queue: LiveQueue | undefined, live: LiveTopology): string {
  const ttl = queue && setting(queue, live, 'x-message-ttl')
  return ttl === undefined ? '' : ` and deletes what nobody takes within ${String(ttl)} ms (x-message-ttl)`
}

function setting(queue: LiveQueue, live: LiveTopology, argument: string): Arguments[string] | undefined {
  return effectiveValue({
    argument,
    own: queue.arguments[argument],
    policy: queue.effectivePolicy?.[argument.slice(2)],
    type: queue.type,
    capabilities: brokerCapabilities(live.brokerVersion),
  })
}

function describe(exchange: string, key: string): string {
  return exchange === '' ? `The queue "${key}"` : `The exchange "${exchange}" with the key "${key}"`
}

function refuse(problem: string): RouteProof {
  return { isSafe: false, problem }
}
