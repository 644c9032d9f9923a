import { brokerCapabilities } from '../../message/broker-capabilities.ts'
import type { Arguments } from '../../topology/declaration.ts'
import { effectiveValue } from '../../topology/effective-value.ts'
import type { LiveQueue, LiveTopology } from '../../topology/live-topology.ts'
import { indexRoutes, type RouteIndex } from '../../topology/route.ts'
import { isOwnQueue } from '../read/is-own-queue.ts'

/** Whether a re-drive to an address arrives, as far as the topology tells. */
export type RouteProof =
  | {
      readonly isSafe: true
      readonly queues: readonly string[]
      /** One of them takes nothing beyond its length, and says so. */
      readonly refusesWhenFull: boolean
      /** Where a message goes if it fails there again, and whether it is deleted if nobody takes it in time. */
      readonly secondFailure: string
      /**
       * The queues where it then ends, if not in the one that is re-driven: nobody looks there for messages that are
       * dead again.
       */
      readonly unseen: readonly string[]
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
      // The next message usually goes where the last one went; comparing is cheaper than building a name.
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
  const own = reached.find(isOwnQueue)
  if (own !== undefined)
    return refuse(`${describe(exchange, key)} leads to "${own}", where Warren keeps its own records.`)
  for (const name of reached) {
    const queue = queues.get(name)
    const problem = queue && describeOverflow(question, queue)
    if (problem !== undefined) return refuse(problem)
  }
  const failures = reached.map((name) => failAgain(question, name))
  return {
    isSafe: true,
    queues: reached,
    refusesWhenFull: reached.some((name) => isBounded(question, queues.get(name))),
    secondFailure: failures.map(({ text }) => text).join('; '),
    unseen: [...new Set(failures.flatMap(({ unseen }) => unseen))],
  }
}

function nothingReached(exchange: string, key: string): string {
  return exchange === ''
    ? `There is no queue "${key}".`
    : `No queue is bound to the exchange "${exchange}" for the key "${key}".`
}

/** What a full queue does that would lose or duplicate a message; undefined if it takes everything, or only refuses. */
function describeOverflow(question: RouteQuestion, queue: LiveQueue): string | undefined {
  const { live, key } = question
  if (!isBounded(question, queue)) return undefined
  const overflow = setting(queue, live, 'x-overflow') ?? 'drop-head'
  const drops = `The queue "${queue.name}" drops its oldest message when it is full`
  if (overflow === 'drop-head') return `${drops} (overflow drop-head).`
  if (overflow !== 'reject-publish-dlx') return undefined
  if (queue.type === 'quorum') {
    return `${drops}: a quorum queue treats overflow reject-publish-dlx as drop-head.`
  }
  const copies = nextHops(question, { queue: queue.name, key })
  if (!copies || copies.length === 0) return undefined
  return `The queue "${queue.name}" refuses a message when it is full, and dead-letters it anyway (overflow reject-publish-dlx): every attempt would put a copy into ${quote(copies)}.`
}

/** It holds this many messages or bytes and no more. */
function isBounded({ live }: RouteQuestion, queue: LiveQueue | undefined): boolean {
  const limits = ['x-max-length', 'x-max-length-bytes']
  return queue !== undefined && limits.some((argument) => setting(queue, live, argument) !== undefined)
}

interface Hop {
  readonly queue: string
  /** With which the message comes there. */
  readonly key: string
}

/** Where a queue dead-letters to; undefined: it has no dead-letter exchange. */
function nextHops({ queues, live, routes }: RouteQuestion, { queue, key }: Hop): readonly Hop[] | undefined {
  const from = queues.get(queue)
  const exchange = from && setting(from, live, 'x-dead-letter-exchange')
  if (typeof exchange !== 'string') return undefined
  const own = setting(from!, live, 'x-dead-letter-routing-key')
  const next = typeof own === 'string' ? own : key
  const isByHeaders = routes.exchangeType(exchange) === 'headers'
  const reached = isByHeaders ? routes.mayRoute(exchange, next) : routes.route({ exchange, key: next })
  return reached.map((route) => ({ queue: route.queue, key: next }))
}

/** What becomes of a message that fails in a queue again. */
function failAgain(
  question: RouteQuestion,
  name: string,
): { readonly text: string; readonly unseen: readonly string[] } {
  const { live, queues, key, deadLetterQueue } = question
  const next = nextHops(question, { queue: name, key })
  const warning = expiryWarning(queues.get(name), live)
  if (!next) return { text: `"${name}" has no dead-letter exchange${warning}`, unseen: [] }
  if (next.length === 0) return { text: `"${name}" dead-letters to nowhere${warning}`, unseen: [] }
  const text = `"${name}" to ${quote(next)}`
  const ends = findEnds(question, next)
  if (ends.length === 0 || ends.some(({ queue }) => queue === deadLetterQueue)) return { text, unseen: [] }
  const isNext = ends.length === next.length && ends.every((end) => next.includes(end))
  const then = isNext ? '' : `, in the end to ${quote(ends)}`
  return { text: `${text}${then}, where this re-drive does not look`, unseen: ends.map(({ queue }) => queue) }
}

/** The queues where dead-lettering ends, hop after hop; none if it goes in a circle, as through a wait queue. */
function findEnds(question: RouteQuestion, start: readonly Hop[]): readonly Hop[] {
  const open = [...start]
  const visited = new Set<string>()
  const ends: Hop[] = []
  for (let hop = open.shift(); hop; hop = open.shift()) {
    if (visited.has(hop.queue)) continue
    visited.add(hop.queue)
    const next = hop.queue === question.deadLetterQueue ? undefined : nextHops(question, hop)
    if (next) open.push(...next)
    else ends.push(hop)
  }
  return ends
}

function quote(hops: readonly Hop[]): string {
  return hops.map(({ queue }) => `"${queue}"`).join(', ')
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
