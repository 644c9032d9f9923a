import type { Arguments } from '../../topology/declaration.ts'
import { indexRoutes, type RoutableTopology, type RouteIndex } from '../../topology/route.ts'
import type { WayStep } from './plan-way-out.ts'

/** What could be seen of the way of a failed message. */
export interface WaySeen {
  /** Over AMQP. */
  readonly queues: ReadonlyMap<string, SeenQueue>
  readonly exchanges: ReadonlyMap<string, Presence>
  /** From the management API, the only source for bindings and policies. Undefined if it could not be asked. */
  readonly managed: ManagedWay | undefined
}

/** `unknown`: the account may not ask. */
export type Presence = 'there' | 'missing' | 'unknown'

export interface SeenQueue {
  readonly presence: Presence
  readonly arguments: SeenArguments
}

/** `lacks`: the argument that the queue was declared with and does not have. */
export type SeenArguments = 'as-declared' | 'unknown' | { readonly lacks: string }

/** Exchanges with their bindings, and the queues that a message passes, as far as they are there. */
export interface ManagedWay extends RoutableTopology {
  /** Those of the queues on the way that exist. */
  readonly queues: readonly ManagedQueueSettings[]
}

/** What decides where a queue sends its dead letters. */
export interface ManagedQueueSettings {
  /** The queue in its vhost. */
  readonly name: string
  /** As they were declared. */
  readonly arguments: Arguments
  /** What user and operator policies set; empty if none applies. */
  readonly effectivePolicy: Arguments
}

export type WayVerdict =
  | { readonly kind: 'proved' }
  /** A failed message would be lost, or would never come back. Each gap is a clause about one thing. */
  | { readonly kind: 'broken'; readonly gaps: readonly string[] }
  /** Nothing is known to be missing, but not everything could be looked at. */
  | { readonly kind: 'unproved'; readonly doubts: readonly string[] }

/** Does the way of a failed message lead where it should? */
export function decideWayOut({
  queue,
  steps,
  seen,
}: {
  readonly queue: string
  readonly steps: readonly WayStep[]
  readonly seen: WaySeen
}): WayVerdict {
  const look: Look = { queue, seen, routes: seen.managed && indexRoutes(seen.managed) }
  const findings = steps.flatMap((step) => judge(step, look))
  const gaps = clausesOf(findings, 'gap')
  if (gaps.length > 0) return { kind: 'broken', gaps }
  const doubts = clausesOf(findings, 'doubt')
  return doubts.length > 0 ? { kind: 'unproved', doubts } : { kind: 'proved' }
}

interface Look {
  /** The consumer's own. Whether it is there shows when it is consumed. */
  readonly queue: string
  readonly seen: WaySeen
  readonly routes: RouteIndex | undefined
}

interface Finding {
  readonly kind: 'gap' | 'doubt'
  readonly clause: string
}

type Address = Pick<WayStep, 'exchange' | 'key'>

function clausesOf(findings: readonly Finding[], kind: Finding['kind']): readonly string[] {
  return [...new Set(findings.filter((finding) => finding.kind === kind).map(({ clause }) => clause))]
}

function judge(step: WayStep, look: Look): readonly Finding[] {
  const start = addressOf(step, look)
  const findings = start.address
    ? [...judgeTarget(step, look), ...judgeRoute(step, start.address, look)]
    : [start.finding]
  // If nobody could check a way that no outcome takes, or that a publish will report on, that is no reason to warn.
  const mayDoubt = step.from !== undefined && !step.isBrokersOwn
  return findings.filter(({ kind }) => kind === 'gap' || mayDoubt)
}

type Start =
  | { readonly address: Address; readonly finding?: undefined }
  | { readonly address?: undefined; readonly finding: Finding }

/** Where the step leads at present: the queue's arguments and policy count, not what was declared. */
function addressOf(step: WayStep, { queue, seen }: Look): Start {
  const { from, exchange, key } = step
  if (from === undefined) return { address: { exchange, key } }
  const managed = seen.managed?.queues.find(({ name }) => name === from)
  if (managed) return managedAddress(step, managed)
  const { presence = 'unknown', arguments: args = 'unknown' } = seen.queues.get(from) ?? {}
  if (presence === 'missing')
    return from === queue ? { address: { exchange, key } } : { finding: notThere('queue', from) }
  if (args === 'as-declared') return { address: { exchange, key } }
  if (args !== 'unknown') return { finding: lacking(from, args.lacks) }
  return { finding: { kind: 'doubt', clause: `which arguments the queue "${from}" has` } }
}

function managedAddress(
  { from, waits }: WayStep,
  { arguments: args, effectivePolicy }: ManagedQueueSettings,
): Start {
  const setting = (name: string) => args[`x-${name}`] ?? effectivePolicy[name]
  const [exchange, key] = [setting('dead-letter-exchange'), setting('dead-letter-routing-key')]
  if (typeof exchange !== 'string') return { finding: lacking(from!, 'x-dead-letter-exchange') }
  if (waits && setting('message-ttl') === undefined) return { finding: lacking(from!, 'x-message-ttl') }
  return { address: { exchange, key: typeof key === 'string' ? key : undefined } }
}

const consequences: Readonly<Record<string, string>> = {
  'x-dead-letter-exchange': 'RabbitMQ deletes messages that should leave it',
  'x-dead-letter-routing-key': 'messages that leave it do not arrive',
  'x-message-ttl': 'messages that wait there never come back',
}

/** The arguments whose absence breaks the way. */
export const wayArguments: readonly string[] = Object.keys(consequences)

function lacking(queue: string, argument: string): Finding {
  return gap(`the queue "${queue}" has no ${argument}, so ${consequences[argument]}`)
}

/** The queue that has to get the message. */
function judgeTarget({ to }: WayStep, { queue, seen }: Look): readonly Finding[] {
  if (to === undefined || to === queue) return []
  const isManaged = seen.managed?.queues.some(({ name }) => name === to)
  const presence = isManaged ? 'there' : (seen.queues.get(to)?.presence ?? 'unknown')
  if (presence === 'there') return []
  if (presence === 'missing' || seen.managed) return [notThere('queue', to)]
  return [{ kind: 'doubt', clause: `whether the queue "${to}" is there` }]
}

function judgeRoute(step: WayStep, { exchange, key }: Address, { seen, routes }: Look): readonly Finding[] {
  const { from, to } = step
  if (exchange === '') {
    if (to === undefined || key === to) return []
    const leads = key === undefined ? 'by the routing keys of the messages' : `to "${key}"`
    return [gap(`the dead letters of the queue "${from}" go ${leads}, and not to "${to}"`)]
  }
  if (seen.exchanges.get(exchange) === 'missing') return [notThere('exchange', exchange)]
  if (!routes) return [{ kind: 'doubt', clause: whetherBound(exchange, to) }]
  if (!routes.hasExchange(exchange)) return [notThere('exchange', exchange)]
  const reached = reachedFrom({ exchange, key }, seen.managed!, routes)
  if (to === undefined ? reached.length > 0 : reached.includes(to)) return []
  const withKey = key === undefined ? '' : ` with the key "${key}"`
  return [gap(`no binding leads from the exchange "${exchange}"${withKey} to ${nameOf(to)}`)]
}

/** Where a message may go; an unknown key or unknown headers may be any. */
function reachedFrom({ exchange, key }: Address, managed: ManagedWay, routes: RouteIndex): readonly string[] {
  const byHeaders = managed.exchanges.some(({ type }) => type === 'headers')
  const found =
    key === undefined || byHeaders ? routes.mayRoute(exchange, '#') : routes.route({ exchange, key })
  return found.map((route) => route.queue)
}

function whetherBound(exchange: string, to: string | undefined): string {
  return `whether a binding leads from the exchange "${exchange}" to ${nameOf(to)}`
}

function nameOf(queue: string | undefined): string {
  return queue === undefined ? 'any queue' : `the queue "${queue}"`
}

function notThere(kind: 'queue' | 'exchange', name: string): Finding {
  return gap(`the ${kind} "${name}" is not there`)
}

function gap(clause: string): Finding {
  return { kind: 'gap', clause }
}
