import type { Delivery } from '../../broker/amqp/delivery.ts'
import type { IncomingMessage } from '../../broker/amqp/message.ts'
import { observeTopology } from '../../deploy/observe-topology.ts'
import { isManagementAbsent, WireError } from '../../errors.ts'
import { brokerCapabilities } from '../../message/broker-capabilities.ts'
import { parseBrokerVersion } from '../../message/broker-version.ts'
import { causeOf } from '../../message/fingerprint-cause.ts'
import { type EncodedHeaders, headerText } from '../../message/header-values.ts'
import { readDeaths } from '../../message/read-deaths.ts'
import type { EncodedMessage } from '../../publisher/outgoing-message.ts'
import type { LiveTopology } from '../../topology/live-topology.ts'
import type { QueueFlow } from '../../topology/queue-flow.ts'
import { readProperty } from '../../wire/properties.ts'
import { hasProperty } from '../../wire/splice-properties.ts'
import { type LookRules, prepareLook } from '../look/prepare-look.ts'
import { propertiesWriter } from '../put-back/properties-writer.ts'
import { recoveryHeaders } from '../put-back/recovery-headers.ts'
import { isOwnQueue } from '../read/is-own-queue.ts'
import { type OriginBook, openOriginBook } from '../read/origin-book.ts'
import { knownFlows } from './known-flows.ts'
import { editMessage } from './message-edit.ts'
import { type KeepReason, planRedrive, planToNamed, type RedriveStep, readOrigin } from './plan-redrive.ts'
import type { RedriveOptions } from './redrive-options.ts'
import { openRouteBook, type RouteBook, type RouteProof } from './route-book.ts'
import { unseenWarner } from './unseen-warner.ts'

export type PublishStep = Extract<RedriveStep, { kind: 'publish' }>

/** What is asked about a message; nothing here touches the broker. */
export interface RedriveRules {
  /** The most messages to move in all. */
  readonly limit: number
  /** How the queue is looked at, as it was read at first. */
  readonly look: LookRules
  /** Where it goes, or why it stays, without the limit. */
  plan(delivery: IncomingMessage): RedriveStep
  /** The same, and warns once if nobody would see a message again that dies there. */
  decide(delivery: Delivery): RedriveStep
  encode(delivery: Delivery, step: PublishStep): EncodedMessage
  causeOf(delivery: Delivery): { readonly id: string; readonly label: string }
  /** The broker takes no larger bodies than this. */
  takeAtMost(bytes: number): void
  /** False: the broker's routes could not be read, so only its answers protect the messages. */
  readonly areRoutesProved: boolean
  /** The proof of an address; undefined if the broker cannot be asked. */
  prove(address: { readonly exchange: string; readonly key: string }): RouteProof | undefined
  /** Targets that were refused, each with its sentence. */
  refusals(): readonly string[]
}

/** Reads the broker once and settles every rule of a re-drive. */
export async function prepareRules(
  options: RedriveOptions,
  run: { readonly id: string; readonly atMs: number },
): Promise<RedriveRules> {
  const { consuming, publishing, limit = Number.POSITIVE_INFINITY } = options
  const look = await prepareLook(options)
  const live = await readTopology(options)
  const book = live && openRouteBook(live, options.queue)
  const known = { ...options, flows: knownFlows(options, live) }
  const { queue: deadLetterQueue, trustHeaders = true } = options
  const origins = openOriginBook(live, { deadLetterQueue, flows: known.flows, trustHeaders })
  const refusals = new Set<string>()
  const { maxMessageSizeDefaultBytes } = brokerCapabilities(parseBrokerVersion(consuming.broker.version))
  const size = { largestBytes: maxMessageSizeDefaultBytes }
  const plan = stepPlanner({ options: known, id: run.id, size, book, origins, refusals })
  const isWatched = options.canary !== undefined || options.stopWhenDead !== undefined
  const warnUnseen = isWatched ? unseenWarner(options.queue) : undefined
  return {
    limit,
    look,
    plan,
    takeAtMost: (bytes) => {
      size.largestBytes = Math.min(size.largestBytes, bytes)
    },
    decide: (delivery) => {
      const step = plan(delivery)
      if (step.kind === 'publish') warnUnseen?.(book?.prove(step))
      return step
    },
    encode: messageEncoder({ options: known, run, login: publishing.connection?.endpoint.username }),
    causeOf: (delivery) => causeOf(headersOf(delivery)),
    areRoutesProved: book !== undefined,
    prove: (address) => book?.prove(address),
    refusals: () => [...refusals],
  }
}

/** Undefined if there is no API to ask, and the caller wants to continue without it. */
async function readTopology(options: RedriveOptions): Promise<LiveTopology | undefined> {
  const { management, consuming, acceptDeliveryLimit } = options
  try {
    return management && (await observeTopology(management, { vhost: consuming.vhost }))
  } catch (error) {
    if (acceptDeliveryLimit && isManagementAbsent(error)) return undefined
    throw error
  }
}

function stepPlanner(fields: {
  options: RedriveOptions
  id: string
  size: { readonly largestBytes: number }
  book: RouteBook | undefined
  origins: OriginBook
  refusals: Set<string>
}): (delivery: IncomingMessage) => RedriveStep {
  const { options, id, size, book, origins, refusals } = fields
  const { queue, to = { kind: 'origin' }, flows = [], types, select, follows, attempts } = options
  const { trustHeaders = true } = options
  const named = planToNamed(to) // the same for all messages
  const plan = (delivery: IncomingMessage): RedriveStep => {
    const headers = headersOf(delivery)
    const movedBy = headers && headerText(headers, recoveryHeaders.redriveId)
    if (movedBy === id) return keep('came-back')
    if (movedBy !== undefined && follows?.has(movedBy)) return keep('dead-again')
    if (select && !select(delivery)) return keep('not-selected')
    if (delivery.bodyBytes > size.largestBytes) return keep('too-large')
    const { isForeign } = origins
    const step = named ?? planRedrive({ headers, to, deadLetterQueue: queue, flows, types, isForeign })
    if (step.kind === 'keep') return step
    // The count is read when the message is written, and one that cannot be read is to stay before that.
    if (attempts === 'continue') readDeaths(headers)
    const proof = book ? book.prove(step) : proveAlone(step)
    if (to.kind === 'exchange' && isMadeUp(step, { proof, trustHeaders, isForeign }))
      return keep('origin-foreign')
    if (!proof || proof.isSafe) return step
    refusals.add(proof.problem)
    return keep('target-refused')
  }
  return (delivery) => {
    try {
      return plan(delivery)
    } catch (error) {
      // Headers that break the rules of AMQP: nobody can say where such a message belongs.
      if (error instanceof WireError) return keep('unreadable')
      throw error
    }
  }
}

/**
 * Whether an address from headers leads to none of the queues that the message can have failed in. It may lead to
 * others as well. If the routes cannot be read, only the name of a queue tells.
 */
function isMadeUp(
  { exchange, key }: PublishStep,
  known: { proof: RouteProof | undefined; trustHeaders: boolean; isForeign: OriginBook['isForeign'] },
): boolean {
  const { proof, trustHeaders, isForeign } = known
  if (proof) return proof.isSafe && proof.queues.every(isForeign)
  return exchange === '' ? isForeign(key) : !trustHeaders
}

/** If the routes cannot be read, only a name tells. */
function proveAlone({ exchange, key }: PublishStep): RouteProof | undefined {
  if (exchange !== '' || !isOwnQueue(key)) return undefined
  return { isSafe: false, problem: `The queue "${key}" is where Warren keeps its own records.` }
}

function messageEncoder(fields: {
  options: RedriveOptions
  run: { readonly id: string; readonly atMs: number }
  login: string | undefined
}): RedriveRules['encode'] {
  const { options, run, login } = fields
  const write = propertiesWriter({
    audit: { id: run.id, by: options.by, atMs: run.atMs, reason: options.reason },
    attempts: options.attempts ?? 'reset',
    login,
    version: parseBrokerVersion(options.consuming.broker.version),
  })
  const flowOf = flowFinder(options)
  return (delivery, step) => {
    const { exchange, key } = step
    const message = {
      exchange,
      key,
      properties: write(delivery.properties, flowOf(delivery, step)),
      body: delivery.body,
      // With an id a publish that got no answer is sent again: a copy can be told from another message.
      hasId: hasProperty(delivery.properties, 'messageId'),
    }
    return options.edit ? editMessage({ message, original: delivery, edit: options.edit(delivery) }) : message
  }
}

/** By which flow the attempts of a message are counted. */
function flowFinder({
  queue,
  attempts,
  flows = [],
}: RedriveOptions): (delivery: Delivery, to: PublishStep) => QueueFlow | undefined {
  const flowByQueue = new Map(flows.map((flow) => [flow.queue, flow]))
  const flowOfTarget = ({ exchange, key }: PublishStep): QueueFlow | undefined =>
    exchange === '' ? flowByQueue.get(key) : undefined
  if (attempts !== 'continue') return (_delivery, to) => flowOfTarget(to)
  // What the broker has counted belongs to the queue that it failed in, whatever way it goes back.
  return (delivery, to) => {
    const origin = readOrigin({ headers: headersOf(delivery), flows, deadLetterQueue: queue })
    return (origin && flowByQueue.get(origin.queue)) ?? flowOfTarget(to)
  }
}

function keep(reason: KeepReason): RedriveStep {
  return { kind: 'keep', reason }
}

function headersOf({ properties }: IncomingMessage): EncodedHeaders {
  return readProperty(properties, 'headers')
}

/** The queues that an address leads to, as far as can be told. */
export function queuesOf(
  rules: Pick<RedriveRules, 'prove'>,
  address: { readonly exchange: string; readonly key: string },
): readonly string[] {
  const proof = rules.prove(address)
  if (proof?.isSafe) return proof.queues
  return address.exchange === '' ? [address.key] : []
}
