import type { LiveIndex } from '../live-topology.ts'
import { guessOneWaitQueue } from './guess-tiers.ts'
import type { Layout, LayoutGuess, LayoutParts, ResolvedQueue } from './layout.ts'
import { bindQueue, declaredBindings, durableExchange } from './layout-queue.ts'
import { rejectLoopFlow, rejectLoopQueues } from './reject-loop.ts'

/**
 * Event-bus: the key in `queues` is a service; its prefix names a fanout exchange that all services of the prefix
 * share. The document's queues are classic: from classic to classic what waits outlives a restart, but a dead letter
 * is cast without a confirm, so that what is on its way then is lost, and is not replicated; and one queue of another
 * type on the path loses all of it. So the hardened form makes all three quorum, at least once, and the exact form stays classic.
 */
export const eventBus: Layout = {
  name: 'event-bus',
  summary:
    'One fanout exchange per prefix, a retry exchange per service (5 s, 10 retries), a DLQ per service.',
  hasExactForm: true,
  retriesBy: 'reject',
  exactType: 'classic',
  defaultDelaysMs: [5_000],
  // The message is moved when it fails with 10 retries behind it: that failure is the eleventh attempt.
  defaultMaxAttempts: 11,
  settings: ['prefix'],
  compileQueue,
  guessDeclaration,
}

/** The part of a service name before its first hyphen, or `default`. */
export function prefixOf(service: string): string {
  const hyphen = service.indexOf('-')
  return hyphen > 0 ? service.slice(0, hyphen) : 'default'
}

function namesOf(service: string, prefix: string) {
  return {
    mainExchange: `${prefix}.main-exchange`,
    queue: `${prefix}.queue.${service}`,
    retryExchange: `${prefix}.retry-exchange.${service}`,
    retryQueue: `${prefix}.retry-queue.${service}`,
    dlq: `${prefix}.dlq.${service}`,
  }
}

function compileQueue(of: ResolvedQueue): LayoutParts {
  const { mainExchange, queue, retryExchange, retryQueue, dlq } = namesOf(
    of.name,
    of.options.prefix ?? prefixOf(of.name),
  )
  const loop = {
    of,
    layout: 'event-bus',
    queue,
    wait: { exchange: retryExchange, key: 'retry', queue: retryQueue },
    deadLetterQueue: dlq,
  } as const

  return {
    exchanges: [durableExchange(mainExchange, 'fanout'), durableExchange(retryExchange, 'direct')],
    queues: rejectLoopQueues(loop),
    bindings: [
      bindQueue(queue, mainExchange, ''),
      ...declaredBindings(queue, of.bind ?? []),
      bindQueue(retryQueue, retryExchange, 'retry'),
    ],
    flow: rejectLoopFlow({
      ...loop,
      // The document has no exchange in front of the DLQ, so the default one leads there.
      park: { kind: 'publish', exchange: '', key: dlq },
      redrive: { exchange: mainExchange },
      // On a quorum queue each requeue counts as a delivery, so only a classic one follows the document here.
      ...(of.type === 'classic' ? { defer: { short: 'sleep-and-requeue', tiers: [] } } : {}),
    }),
  }
}

function guessDeclaration(queue: string, live: LiveIndex): LayoutGuess | undefined {
  const at = queue.indexOf('.queue.')
  if (at <= 0) return undefined
  const prefix = queue.slice(0, at)
  const service = queue.slice(at + '.queue.'.length)
  const options =
    prefix === prefixOf(service) ? ({ name: 'event-bus' } as const) : ({ name: 'event-bus', prefix } as const)
  const waitQueue = namesOf(service, prefix).retryQueue
  return guessOneWaitQueue({ live, waitQueue, guess: { name: service, options } })
}
