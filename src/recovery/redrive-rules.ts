import type { Delivery } from '../broker/amqp/delivery.ts'
import { observeTopology } from '../deploy/observe-topology.ts'
import { RecoveryError } from '../errors.ts'
import { brokerCapabilities } from '../message/broker-capabilities.ts'
import { parseBrokerVersion } from '../message/broker-version.ts'
import { causeOf, unknownCause } from '../message/fingerprint-cause.ts'
import type { EncodedHeaders } from '../message/header-values.ts'
import { readProperty } from '../wire/properties.ts'
import { decideLook, mayReturn } from './decide-look.ts'
import { openRouteBook, type RouteBook, type RouteProof } from './decide-route.ts'
import { observeQueue } from './observe-queue.ts'
import { planRedrive, type RedriveStep } from './plan-redrive.ts'
import type { RedriveOptions } from './redrive.ts'
import type { PassRules } from './redrive-pass.ts'
import { propertiesWriter, refreshedProperties } from './redrive-properties.ts'

export interface RedriveRules extends PassRules {
  /** The most messages to move. */
  readonly limit: number
  /** A new pass begins; so many were moved before. */
  startPass(moved: number): void
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
  const { consuming, publishing, management, queue, to = { kind: 'origin' }, flows = [] } = options
  const vhost = consuming.connection?.endpoint.vhost ?? '/'
  const login = publishing.connection?.endpoint.username
  const version = parseBrokerVersion(consuming.broker.version)
  const cost = decideLook({ facts: await observeQueue(management, { vhost, queue }), version })
  if (cost.kind === 'refused') throw refused(queue, cost.problem)
  const book = management && openRouteBook(await observeTopology(management, { vhost }), queue)
  const write = propertiesWriter({
    audit: { id: run.id, by: options.by, atMs: run.atMs, reason: options.reason },
    attempts: options.attempts ?? 'reset',
    login,
    version,
  })
  const flowByQueue = new Map(flows.map((flow) => [flow.queue, flow]))
  const refusals = new Set<string>()
  const largestBytes = brokerCapabilities(version).maxMessageSizeDefaultBytes
  const limit = options.limit ?? Number.POSITIVE_INFINITY
  let selected = 0

  const plan = (delivery: Delivery): RedriveStep => {
    const headers = headersOf(delivery)
    const step = planRedrive({ headers, to, deadLetterQueue: queue, flows })
    return step.kind === 'publish' ? (refusalOf(book, step, refusals) ?? step) : step
  }
  return {
    limit,
    startPass: (moved) => {
      selected = moved
    },
    decide: (delivery) => {
      if (selected >= limit) return { kind: 'keep', reason: 'over-the-limit' }
      if (options.select && !options.select(delivery)) return { kind: 'keep', reason: 'not-selected' }
      if (delivery.bodyBytes > largestBytes) return { kind: 'keep', reason: 'too-large' }
      const step = plan(delivery)
      if (step.kind === 'publish') selected += 1
      return step
    },
    encode: (delivery, { exchange, key }) => ({
      exchange,
      key,
      properties: write(delivery.properties, exchange === '' ? flowByQueue.get(key) : undefined),
      body: delivery.body,
    }),
    encodeRefreshed: (delivery) => ({
      exchange: '',
      key: queue,
      properties: refreshedProperties(delivery.properties, login),
      body: delivery.body,
    }),
    mayReturn: (delivery) => mayReturn({ headers: headersOf(delivery), cost, version }),
    causeOf: (delivery) => {
      const headers = headersOf(delivery)
      return headers === undefined ? unknownCause : causeOf(headers)
    },
    prove: (address) => book?.prove(address),
    refusals: () => [...refusals],
  }
}

function refusalOf(
  book: RouteBook | undefined,
  step: Extract<RedriveStep, { kind: 'publish' }>,
  refusals: Set<string>,
): RedriveStep | undefined {
  const proof = book?.prove(step)
  if (!proof || proof.isSafe) return undefined
  refusals.add(proof.problem)
  return { kind: 'keep', reason: 'target-refused' }
}

function headersOf({ properties }: Delivery): EncodedHeaders {
  return readProperty(properties, 'headers')
}

function refused(queue: string, problem: string): RecoveryError {
  return new RecoveryError({
    code: 'RECOVERY_LOOK_REFUSED',
    message: `The queue "${queue}" cannot be re-driven. ${problem}`,
  })
}
