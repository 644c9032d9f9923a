import { brokerCapabilities } from '../message/broker-capabilities.ts'
import { formatDuration } from '../message/duration.ts'
import { builtInExchanges } from './check-references.ts'
import type { CompiledBinding, CompiledQueue, CompiledTopology } from './compiled-topology.ts'
import { groupBy } from './group-by.ts'
import { policiesInForce } from './policies-in-force.ts'
import type { QueueFlow } from './queue-flow.ts'

/** A topology as boxes and arrows, for whatever language draws them. */
export interface Drawing {
  readonly nodes: readonly DrawnNode[]
  readonly edges: readonly DrawnEdge[]
}

export interface DrawnNode {
  readonly id: string
  readonly label: string
  /** The second line: the type of an exchange or queue. */
  readonly detail: string
  readonly shape: 'exchange' | 'work' | 'wait' | 'dead-letter'
  /** The declared queue whose box it stands in; undefined for what stands outside. */
  readonly group: string | undefined
  readonly hasProblem: boolean
}

export interface DrawnEdge {
  readonly from: string
  readonly to: string
  readonly label: string
  /** route: a binding. dead-letter: moved by the broker. retry, park: published by the consumer. */
  readonly kind: 'route' | 'dead-letter' | 'retry' | 'park'
  /** What it is good for: first delivery, the way round a retry, or the way to a dead-letter queue. */
  readonly purpose: 'deliver' | 'retry' | 'park'
}

/** Lays a compiled topology out as a drawing; queues in `problems` are marked, and so is what is spoken of and missing. */
export function drawTopology(declared: CompiledTopology, problems: ReadonlySet<string> = new Set()): Drawing {
  const { topology: inForce } = policiesInForce(declared, brokerCapabilities(declared.brokerVersion))
  const topology = { ...inForce, missing: findMissing(inForce) }
  const ids = createIds(topology)
  const edges = [
    ...topology.bindings.map(({ source, destination, destinationType, key }) => ({
      from: ids.exchange(source),
      to: destinationType === 'queue' ? ids.queue(destination) : ids.exchange(destination),
      label: key,
      kind: 'route' as const,
    })),
    ...topology.queues.flatMap((queue) => deadLetterEdges(queue, ids)),
    ...topology.flows.flatMap((flow) => publishEdges(flow, ids)),
  ]
  const nodes = drawNodes({ topology, ids, problems })
  return { nodes, edges: withPurpose(nodes, mergeParallel(edges.filter(hasBothEnds))) }
}

type PlainEdge = Omit<DrawnEdge, 'purpose'>

/** Where dead letters, retries and parked messages are sent although nothing of that name is declared. */
interface Missing {
  readonly exchanges: readonly string[]
  readonly queues: readonly string[]
}

type DrawnTopology = CompiledTopology & { readonly missing: Missing }

function findMissing({ exchanges, queues, flows }: CompiledTopology): Missing {
  const known = new Set([...exchanges.map(({ name }) => name), ...Object.keys(builtInExchanges)])
  const knownQueues = new Set(queues.map(({ name }) => name))
  const addresses = [
    ...queues.flatMap((queue) => deadLetterAddress(queue) ?? []),
    ...flows.flatMap(({ retry, park }) => [
      ...(retry?.kind === 'publish' ? retry.tiers : []),
      ...(park?.kind === 'publish' ? [park] : []),
    ]),
  ]
  const isDefault = ({ exchange }: { exchange: string }) => exchange === ''
  return {
    exchanges: unique(addresses.map(({ exchange }) => exchange)).filter(
      (name) => name !== '' && !known.has(name),
    ),
    queues: unique(addresses.filter(isDefault).map(({ key }) => key ?? '')).filter(
      (name) => !knownQueues.has(name),
    ),
  }
}

function deadLetterAddress({ name, arguments: args }: CompiledQueue) {
  const { 'x-dead-letter-exchange': exchange, 'x-dead-letter-routing-key': key } = args
  if (typeof exchange !== 'string') return undefined
  return { exchange, key: typeof key === 'string' ? key : name, newKey: key }
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)]
}

/** Several bindings or delays between the same two boxes are one arrow with several labels. */
function mergeParallel(edges: readonly PlainEdge[]): readonly PlainEdge[] {
  const merged = groupBy(edges, ({ from, to, kind }) => `${from} ${to} ${kind}`)
  return [...merged.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, label: [first, ...others].map(({ label }) => label).join(', ') }],
  )
}

function withPurpose(nodes: readonly DrawnNode[], edges: readonly PlainEdge[]): readonly DrawnEdge[] {
  const shapes = new Map(nodes.map(({ id, shape }) => [id, shape]))
  const routes = groupBy(
    edges.filter(({ kind }) => kind === 'route'),
    ({ from }) => from,
  )
  // An exchange is there for what it leads to; through another exchange that is nobody's in particular.
  const servesOnly = (id: string, shape: DrawnNode['shape']): boolean => {
    if (shapes.get(id) !== 'exchange') return shapes.get(id) === shape
    const targets = routes.get(id) ?? []
    return targets.length > 0 && targets.every(({ to }) => shapes.get(to) === shape)
  }
  return edges.map((edge) => {
    if (servesOnly(edge.to, 'dead-letter')) return { ...edge, purpose: 'park' }
    if (servesOnly(edge.to, 'wait') || shapes.get(edge.from) === 'wait') return { ...edge, purpose: 'retry' }
    return { ...edge, purpose: 'deliver' }
  })
}

interface Ids {
  queue(name: string): string | undefined
  exchange(name: string): string | undefined
  /** The exchange, or for the default exchange the queue of that name. */
  address(exchange: string, key: string | undefined): string | undefined
}

function createIds(topology: DrawnTopology): Ids {
  const { queues, missing } = topology
  const queueNames = [...queues.map(({ name }) => name), ...missing.queues]
  const queueIds = new Map(queueNames.map((name, index) => [name, `q${index}`]))
  const exchangeIds = new Map(exchangeNames(topology).map((name, index) => [name, `e${index}`]))
  return {
    queue: (name) => queueIds.get(name),
    exchange: (name) => exchangeIds.get(name),
    address: (exchange, key) => (exchange === '' ? queueIds.get(key ?? '') : exchangeIds.get(exchange)),
  }
}

/** Those that are declared, those that something is bound to, and those that dead letters are sent to. */
function exchangeNames({ exchanges, bindings, queues, missing }: DrawnTopology): readonly string[] {
  const ofDeadLetters = queues.flatMap((queue) => deadLetterAddress(queue)?.exchange ?? [])
  const names = [
    ...exchanges.map(({ name }) => name),
    ...bindings.map(({ source }) => source),
    ...ofDeadLetters,
    ...missing.exchanges,
  ]
  return unique(names).filter((name) => name !== '')
}

function drawNodes({ topology, ids, problems }: NodeParts): readonly DrawnNode[] {
  const types = new Map(topology.exchanges.map(({ name, type }) => [name, type]))
  const names = exchangeNames(topology)
  const missing = new Set(topology.missing.exchanges)
  const groups = groupsOf(topology)
  const ofSource = groupBy(topology.bindings, ({ source }) => source)
  const exchanges = [...names].map((name) => ({
    id: ids.exchange(name) ?? '',
    label: name,
    detail: missing.has(name) ? 'missing' : (types.get(name) ?? builtInExchanges[name] ?? 'exchange'),
    shape: 'exchange' as const,
    group: groupOfExchange(ofSource.get(name) ?? [], groups),
    hasProblem: missing.has(name),
  }))
  const queues = topology.queues.map(({ name, type, role, arguments: args }) => ({
    id: ids.queue(name) ?? '',
    label: name,
    detail: queueDetail(type, args['x-message-ttl']),
    shape: role,
    group: groups.get(name)?.group,
    hasProblem: problems.has(name),
  }))
  const missingQueues = topology.missing.queues.map((name) => ({
    id: ids.queue(name) ?? '',
    label: name,
    detail: 'missing',
    shape: 'work' as const,
    group: undefined,
    hasProblem: true,
  }))
  return withoutLoneGroups([...exchanges, ...queues, ...missingQueues])
}

/** A box around a single thing says nothing. */
function withoutLoneGroups(nodes: readonly DrawnNode[]): readonly DrawnNode[] {
  const groups = groupBy(nodes, ({ group }) => group)
  return nodes.map((node) =>
    groups.get(node.group ?? '')?.length === 1 ? { ...node, group: undefined } : node,
  )
}

interface NodeParts {
  readonly topology: DrawnTopology
  readonly ids: Ids
  readonly problems: ReadonlySet<string>
}

function queueDetail(type: string, ttl: unknown): string {
  return typeof ttl === 'number' ? `${type}, ${formatDuration(ttl)}` : type
}

/** Wait and dead-letter queues that serve more than one declared queue stand in no group. */
function groupsOf({ flows, queues }: CompiledTopology): ReadonlyMap<string, QueueGroup> {
  const uses = new Map<string, number>()
  for (const { waitQueues, deadLetterQueue } of flows) {
    for (const name of [...waitQueues, deadLetterQueue ?? '']) uses.set(name, (uses.get(name) ?? 0) + 1)
  }
  return new Map(
    queues.map(({ name, owner, role }) => [
      name,
      { group: (uses.get(name) ?? 0) > 1 ? undefined : owner, isWork: role === 'work' },
    ]),
  )
}

interface QueueGroup {
  readonly group: string | undefined
  readonly isWork: boolean
}

/** An exchange that leads to the wait or dead-letter queues of one group only stands in that group. */
function groupOfExchange(
  bindings: readonly CompiledBinding[],
  groups: ReadonlyMap<string, QueueGroup>,
): string | undefined {
  const reached = bindings.map(({ destination }) => groups.get(destination))
  const [first] = reached
  const isOwn = reached.every((each) => each !== undefined && !each.isWork && each.group === first?.group)
  return isOwn ? first?.group : undefined
}

function deadLetterEdges(queue: CompiledQueue, ids: Ids) {
  const address = deadLetterAddress(queue)
  if (address === undefined) return []
  const { exchange, key } = address
  return [
    {
      from: ids.queue(queue.name),
      to: ids.address(exchange, key),
      label: deathLabel(queue, newKey(exchange, address.newKey)),
      kind: 'dead-letter' as const,
    },
  ]
}

/** Why messages take this way: a wait queue is left by time, one with a TTL and a consumer by both. */
function deathLabel({ role, arguments: args }: CompiledQueue, as: string): string {
  if (role === 'wait') return `expired${as}`
  return args['x-message-ttl'] === undefined ? 'rejected' : 'rejected, expired'
}

/** With which key it comes back decides who sees it, where it comes back through an exchange that others share. */
function newKey(exchange: string, key: unknown): string {
  return exchange !== '' && typeof key === 'string' ? ` as ${key}` : ''
}

function publishEdges({ queue, retry, park }: QueueFlow, ids: Ids) {
  const from = ids.queue(queue)
  const tiers = retry?.kind === 'publish' ? retry.tiers : []
  return [
    ...tiers.map(({ exchange, key, delayMs }) => ({
      from,
      to: ids.address(exchange, key),
      label: `retry ${formatDuration(delayMs)}`,
      kind: 'retry' as const,
    })),
    ...(park?.kind === 'publish'
      ? [{ from, to: ids.address(park.exchange, park.key), label: 'park', kind: 'park' as const }]
      : []),
  ]
}

function hasBothEnds(edge: { from: string | undefined; to: string | undefined }): edge is PlainEdge {
  return edge.from !== undefined && edge.to !== undefined
}
