import { formatDuration } from '../../message/duration.ts'
import type { CompiledBinding, CompiledExchange, CompiledQueue } from '../compiled-topology.ts'
import type { LiveIndex } from '../live-topology.ts'
import type { DelayTier, QueueFlow } from '../queue-flow.ts'
import { atLeastOnce, unlimitedDeliveries } from './at-least-once.ts'
import { guessTiers } from './guess-tiers.ts'
import type { Layout, LayoutGuess, LayoutParts, ResolvedQueue, SharedSettings } from './layout.ts'
import { bindQueue, declaredBindings, durableExchange, layoutQueue, seedHeaders } from './layout-queue.ts'

/**
 * FreeFlow: consumers publish a failed message to a shared direct exchange with the key of a delay; it returns
 * through the topic exchange as `<domain>.retry`, which every binding that matches it sees. The document names
 * no queue type, which makes classic queues; the hardened form makes them quorum and at least once.
 */
export const freeflow: Layout = {
  name: 'freeflow',
  summary: 'A shared direct retry exchange with delay tiers per domain; returns through the topic exchange.',
  hasExactForm: true,
  retriesBy: 'publish',
  exactType: 'classic',
  defaultDelaysMs: [30_000, 300_000, 1_800_000],
  defaultMaxAttempts: 4,
  settings: ['namespace', 'domains', 'domain'],
  compileQueue,
  compileShared,
  guessDeclaration,
}

function compileQueue(of: ResolvedQueue): LayoutParts {
  const names = namesOf(of.options.namespace)
  const domain = of.domain ?? domainOf(of.name, names.namespace)
  const bind = of.bind ?? [{ exchange: names.events, key: `${domain}.*` }]
  const toDlq = { 'x-dead-letter-exchange': names.dlx }
  const tiers = tiersOf({ of, domain })
  const shared = sharedParts(of)
  // The delivery limit of RabbitMQ 4 stays on the work queue: what it catches ends in the DLQ.
  const work = layoutQueue({
    ...part,
    name: of.name,
    role: 'work',
    of,
    args: { ...toDlq, ...(of.isExact ? {} : atLeastOnce(of)) },
  })

  return {
    exchanges: shared.exchanges,
    queues: [work, ...waitQueues({ of, domain, tiers }), ...shared.queues],
    bindings: [...declaredBindings(of.name, bind), ...tierBindings(tiers), ...shared.bindings],
    flow: flowOf({ of, tiers, names, bind }),
  }
}

/** Delay queues of domains whose work queues live elsewhere. */
function compileShared({ options, isExact, capabilities }: SharedSettings): LayoutParts {
  const of: ResolvedQueue = {
    name: namesOf(options.namespace).dlq,
    options,
    isExact,
    capabilities,
    durable: true,
    autoDelete: false,
    type: isExact ? 'classic' : 'quorum',
    bind: undefined,
    poisonLimit: 0,
    domain: undefined,
    retry: { delaysMs: freeflow.defaultDelaysMs, maxAttempts: freeflow.defaultMaxAttempts, arguments: {} },
    arguments: {},
    deadLetterArguments: {},
  }
  const domains = (options.domains ?? []).map((domain) => ({ domain, tiers: tiersOf({ of, domain }) }))
  if (domains.length === 0) return { exchanges: [], queues: [], bindings: [], flow: undefined }
  const shared = sharedParts(of)
  return {
    exchanges: shared.exchanges,
    queues: [...domains.flatMap(({ domain, tiers }) => waitQueues({ of, domain, tiers })), ...shared.queues],
    bindings: [...domains.flatMap(({ tiers }) => tierBindings(tiers)), ...shared.bindings],
    flow: undefined,
  }
}

const part = { layout: 'freeflow' } as const

function namesOf(namespace = 'freeflow') {
  const events = `${namespace}.events`
  return { namespace, events, retry: `${events}.retry`, dlx: `${events}.dlx`, dlq: `${events}.dlq` }
}

function domainOf(queue: string, namespace: string): string {
  return queue.startsWith(`${namespace}.`) ? queue.slice(namespace.length + 1) : queue
}

function sharedParts(of: ResolvedQueue): {
  exchanges: readonly CompiledExchange[]
  queues: readonly CompiledQueue[]
  bindings: readonly CompiledBinding[]
} {
  const { events, retry, dlx, dlq } = namesOf(of.options.namespace)
  const args = of.isExact ? {} : unlimitedDeliveries(of)
  return {
    exchanges: [
      durableExchange(events, 'topic'),
      durableExchange(retry, 'direct'),
      // The document names no type. A rejected message comes with its own key, so only a fanout takes them all.
      durableExchange(dlx, 'fanout'),
    ],
    queues: [layoutQueue({ ...part, name: dlq, role: 'dead-letter', of, args })],
    bindings: [bindQueue(dlq, dlx, '')],
  }
}

function tiersOf({ of, domain }: { of: ResolvedQueue; domain: string }): readonly DelayTier[] {
  const { namespace, retry } = namesOf(of.options.namespace)
  const delays = [...new Set(of.retry?.delaysMs ?? [])].sort((left, right) => left - right)
  return delays.map((delayMs) => {
    const label = formatDuration(delayMs)
    return {
      delayMs,
      exchange: retry,
      key: `${domain}.${label}`,
      queue: `${namespace}.${domain}.retry.${label}`,
    }
  })
}

function waitQueues({
  of,
  domain,
  tiers,
}: {
  of: ResolvedQueue
  domain: string
  tiers: readonly DelayTier[]
}) {
  const { events } = namesOf(of.options.namespace)
  const home = { 'x-dead-letter-exchange': events, 'x-dead-letter-routing-key': `${domain}.retry` }
  const hardened = of.isExact ? {} : atLeastOnce(of)
  return tiers.map(({ queue, delayMs }) =>
    layoutQueue({
      ...part,
      name: queue,
      role: 'wait',
      of,
      args: { 'x-message-ttl': delayMs, ...home, ...hardened },
    }),
  )
}

function tierBindings(tiers: readonly DelayTier[]): readonly CompiledBinding[] {
  return tiers.map(({ queue, exchange, key }) => bindQueue(queue, exchange, key))
}

function flowOf({ of, tiers, names, bind }: FlowParts): QueueFlow {
  const first = tiers[0]
  return {
    name: of.name,
    queue: of.name,
    layout: 'freeflow',
    isExact: of.isExact,
    retry: first === undefined ? undefined : { kind: 'publish', tiers, scheduleMs: of.retry?.delaysMs ?? [] },
    defer: { short: 'hold', tiers },
    // The document rejects, and nobody learns why the message died; a publish carries the reason in its headers.
    park: of.isExact ? { kind: 'reject' } : { kind: 'publish', exchange: names.dlx, key: undefined },
    attempts: { kind: 'header', header: seedHeaders.attempts },
    maxAttempts: of.retry?.maxAttempts ?? 1,
    redrive: {
      origin: { exchange: '', key: of.name },
      retry: first === undefined ? undefined : { exchange: first.exchange, key: first.key },
      exchange: bind[0]?.exchange,
    },
    waitQueues: tiers.map(({ queue }) => queue),
    deadLetterQueue: names.dlq,
    headers: seedHeaders,
  }
}

interface FlowParts {
  readonly of: ResolvedQueue
  readonly tiers: readonly DelayTier[]
  readonly names: ReturnType<typeof namesOf>
  readonly bind: NonNullable<ResolvedQueue['bind']>
}

function guessDeclaration(queue: string, live: LiveIndex): LayoutGuess | undefined {
  const dlx = live.queue(queue)?.arguments['x-dead-letter-exchange']
  if (typeof dlx !== 'string' || !dlx.endsWith('.events.dlx')) return undefined
  const namespace = dlx.slice(0, -'.events.dlx'.length)
  const events = namesOf(namespace).events
  const domains = live
    .bindingsTo(queue)
    .filter(({ source, key }) => source === events && key.endsWith('.*'))
    .map(({ key }) => key.slice(0, -2))
  for (const domain of domains) {
    const delaysMs = guessTiers({ live, prefix: `${namespace}.${domain}.retry.` })
    const options = { name: 'freeflow', namespace } as const
    if (delaysMs.length > 0) return { name: queue, options, domain, delaysMs }
  }
  return undefined
}
