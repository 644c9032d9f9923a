import { formatDuration } from '../message/duration.ts'
import type { CompiledBinding, CompiledQueue, CompiledTopology } from './compiled-topology.ts'
import { groupBy } from './group-by.ts'
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

/** Lays a compiled topology out as a drawing; queues in `problems` are marked. */
export function drawTopology(topology: CompiledTopology, problems: ReadonlySet<string> = new Set()): Drawing {
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

function createIds({ queues, exchanges, bindings }: CompiledTopology): Ids {
  const queueIds = new Map(queues.map(({ name }, index) => [name, `q${index}`]))
  const names = new Set([...exchanges.map(({ name }) => name), ...bindings.map(({ source }) => source)])
  const exchangeIds = new Map([...names].map((name, index) => [name, `e${index}`]))
  return {
    queue: (name) => queueIds.get(name),
    exchange: (name) => exchangeIds.get(name),
    address: (exchange, key) => (exchange === '' ? queueIds.get(key ?? '') : exchangeIds.get(exchange)),
  }
}

function drawNodes({ topology, ids, problems }: NodeParts): readonly DrawnNode[] {
  const types = new Map(topology.exchanges.map(({ name, type }) => [name, type]))
  const names = new Set([...types.keys(), ...topology.bindings.map(({ source }) => source)])
  const groups = groupsOf(topology)
  const ofSource = groupBy(topology.bindings, ({ source }) => source)
  const exchanges = [...names].map((name) => ({
    ...{
      id: ids.exchange(name) ?? '',
      label: name,
      detail: types.get(name) ?? 'exchange',
      shape: 'exchange' as const,
    },
    ...{ group: groupOfExchange(ofSource.get(name) ?? [], groups), hasProblem: false },
  }))
  const queues = topology.queues.map(({ name, type, role, arguments: args }) => ({
    ...{
      id: ids.queue(name) ?? '',
      label: name,
      detail: queueDetail(type, args['x-message-ttl']),
      shape: role,
    },
    ...{ group: groups.get(name)?.group, hasProblem: problems.has(name) },
  }))
  return [...exchanges, ...queues]
}

interface NodeParts {
  readonly topology: CompiledTopology
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

function deadLetterEdges({ name, role, arguments: args }: CompiledQueue, ids: Ids) {
  const exchange = args['x-dead-letter-exchange']
  const key = args['x-dead-letter-routing-key']
  if (typeof exchange !== 'string') return []
  const to = ids.address(exchange, typeof key === 'string' ? key : name)
  return [
    {
      from: ids.queue(name),
      to,
      label: role === 'wait' ? `expired${newKey(exchange, key)}` : 'rejected',
      kind: 'dead-letter' as const,
    },
  ]
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
      ...{
        from,
        to: ids.address(exchange, key),
        label: `retry ${formatDuration(delayMs)}`,
        kind: 'retry' as const,
      },
    })),
    ...(park?.kind === 'publish'
      ? [{ from, to: ids.address(park.exchange, park.key), label: 'park', kind: 'park' as const }]
      : []),
  ]
}

function hasBothEnds(edge: { from: string | undefined; to: string | undefined }): edge is PlainEdge {
  return edge.from !== undefined && edge.to !== undefined
}
