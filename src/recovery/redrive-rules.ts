import type { Delivery } from '../broker/amqp/delivery.ts'
import { observeTopology } from '../deploy/observe-topology.ts'
import { type WarrenError, WireError } from '../errors.ts'
import { brokerCapabilities } from '../message/broker-capabilities.ts'
import { parseBrokerVersion } from '../message/broker-version.ts'
import { causeOf } from '../message/fingerprint-cause.ts'
import { type EncodedHeaders, headerText } from '../message/header-values.ts'
import { readDeaths } from '../message/read-deaths.ts'
import type { LiveTopology } from '../topology/live-topology.ts'
import type { QueueFlow } from '../topology/queue-flow.ts'
import { readProperty } from '../wire/properties.ts'
import { openRouteBook, type RouteBook, type RouteProof } from './decide-route.ts'
import { knownFlows } from './known-flows.ts'
import { type KeepReason, planRedrive, type RedriveStep, readOrigin } from './plan-redrive.ts'
import { prepareLook } from './prepare-look.ts'
import { recoveryHeaders } from './recovery-headers.ts'
import type { RedriveOptions } from './redrive.ts'
import { editMessage } from './redrive-edit.ts'
import type { PassRules, PublishStep } from './redrive-pass.ts'
import { propertiesWriter } from './redrive-properties.ts'
import { unseenWarner } from './warn-unseen.ts'

export interface RedriveRules extends PassRules {
  /** The most messages to move in all. */
  readonly limit: number
  /** How long messages may be held. */
  readonly maxHoldMs: number
  /** So many returns a message survives; undefined: any number. */
  readonly returnLimit: number | undefined
  /** Of a body, as far as the broker knows. */
  readonly averageBytes: number | undefined
  /** The same whatever the limit. */
  plan(delivery: Delivery): RedriveStep
  /** A new pass begins; so many were moved before. */
  startPass(moved: number): void
  /** The broker takes no larger bodies than this. */
  takeAtMost(bytes: number): void
  /** False: nobody could tell what the broker's routes are, so only its answers protect. */
  readonly areRoutesProved: boolean
  /** The proof of an address; undefined where the broker cannot be asked. */
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
  const refusals = new Set<string>()
  const { maxMessageSizeDefaultBytes } = brokerCapabilities(parseBrokerVersion(consuming.broker.version))
  const size = { largestBytes: maxMessageSizeDefaultBytes }
  const plan = stepPlanner({ options: known, id: run.id, size, book, refusals })
  const isWatched = options.canary !== undefined || options.stopWhenDead !== undefined
  const warnUnseen = isWatched ? unseenWarner(options.queue) : undefined
  let selected = 0
  return {
    limit,
    maxHoldMs: look.maxHoldMs,
    startPass: (moved) => {
      selected = moved
    },
    plan,
    takeAtMost: (bytes) => {
      size.largestBytes = Math.min(size.largestBytes, bytes)
    },
    decide: (delivery) => {
      if (selected >= limit) return overTheLimit
      const step = plan(delivery)
      if (step.kind === 'publish') {
        selected += 1
        warnUnseen?.(book?.prove(step))
      }
      return step
    },
    isLimitReached: () => selected >= limit,
    encode: messageEncoder({ options: known, run, login: publishing.connection?.endpoint.username }),
    ...{ encodeRefreshed: look.encodeRefreshed, mayReturn: look.mayReturn },
    ...{ returnDeletes: look.returnDeletes, aside: look.aside },
    ...{ returnsBehind: look.returnsBehind, countsReturns: look.countsReturns },
    ...{ returnLimit: look.returnLimit, averageBytes: look.averageBytes },
    consumerArguments: look.consumerArguments,
    causeOf: (delivery) => causeOf(headersOf(delivery)),
    areRoutesProved: book !== undefined,
    prove: (address) => book?.prove(address),
    refusals: () => [...refusals],
  }
}

/** Undefined where there is no API to ask, and somebody has said that it is to go on without. */
async function readTopology(options: RedriveOptions): Promise<LiveTopology | undefined> {
  const { management, consuming, acceptDeliveryLimit } = options
  try {
    return management && (await observeTopology(management, { vhost: consuming.vhost }))
  } catch (error) {
    if (acceptDeliveryLimit && (error as WarrenError).code === 'MANAGEMENT_UNREACHABLE') return undefined
    throw error
  }
}

const overTheLimit: RedriveStep = { kind: 'keep', reason: 'over-the-limit' }

function stepPlanner(fields: {
  options: RedriveOptions
  id: string
  size: { readonly largestBytes: number }
  book: RouteBook | undefined
  refusals: Set<string>
}): (delivery: Delivery) => RedriveStep {
  const { options, id, size, book, refusals } = fields
  const { queue, to = { kind: 'origin' }, flows = [], types, select, follows, attempts } = options
  const plan = (delivery: Delivery): RedriveStep => {
    const headers = headersOf(delivery)
    const movedBy = headers && headerText(headers, recoveryHeaders.redriveId)
    if (movedBy === id) return keep('came-back')
    if (movedBy !== undefined && follows?.has(movedBy)) return keep('dead-again')
    if (select && !select(delivery)) return keep('not-selected')
    if (delivery.bodyBytes > size.largestBytes) return keep('too-large')
    const step = planRedrive({ headers, to, deadLetterQueue: queue, flows, types })
    if (step.kind === 'keep') return step
    // The count is read when the message is written, and one that cannot be read is to stay before that.
    if (attempts === 'continue') readDeaths(headers)
    const proof = book?.prove(step)
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

function messageEncoder(fields: {
  options: RedriveOptions
  run: { readonly id: string; readonly atMs: number }
  login: string | undefined
}): PassRules['encode'] {
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
      messageId: readProperty(delivery.properties, 'messageId'),
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

function headersOf({ properties }: Delivery): EncodedHeaders {
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
