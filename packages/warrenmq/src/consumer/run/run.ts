import type { Delivery } from '../../broker/amqp/delivery.ts'
import type { BrokerVersion } from '../../message/broker-version.ts'
import { type AttemptsRule, countAttempts } from '../../message/count-attempts.ts'
import type { EncodedHeaders } from '../../message/header-values.ts'
import { readProperty } from '../../wire/properties.ts'
import type { BreakerCause } from '../decide/breaker-state.ts'
import type { Admission } from '../decide/decide-admission.ts'
import { decideStanding, type Standing } from '../decide/decide-standing.ts'
import type { RunSpan } from '../observe/run-tracing.ts'
import type { GivenBack } from '../settle/near-limit.ts'
import type { BodyDecoder, ConsumedMessage } from './consumed-message.ts'
import { DeliveredMessage, type Retries } from './delivered-message.ts'
import { failedBy, type HandlerResult } from './handler-result.ts'
import type { Placed } from './placed-set.ts'

/** One message in the consumer, from its delivery to its settlement. */
export interface Run extends Placed {
  /** Changes when the connection is lost and the same message is delivered again while its handler runs. */
  delivery: Delivery
  readonly message: DeliveredMessage
  /** As they came, not decoded. */
  readonly headers: EncodedHeaders
  /** Failed attempts before this delivery. */
  readonly failedBefore: number
  /** What the user's `orderBy` gave. */
  readonly orderedBy: unknown
  /** The same while it keeps its turn; undefined for a run that has to leave immediately, or runs alone. */
  orderKey: unknown
  /** The user's `orderBy` threw: the handler is not run. */
  readonly refusal: HandlerResult | undefined
  /** Failures within this delivery that cost no attempt on the broker: those of a plain queue. */
  localFailures: number
  /** It was let through while the breaker tries whether things work again: what it has to show. */
  probes: BreakerCause | undefined
  /** What this consumer itself returned of this message to its queue; undefined when nothing is known of it. */
  readonly givenBack: GivenBack | undefined
  readonly standing: Standing
  /** The copy that a near delivery limit asks for could not be made, so that the limit is looked at no more. */
  ignoresLimit: boolean
  /** Of the broker that its delivery came from. */
  version: BrokerVersion
  readonly receivedAtMs: number
  /** What was decided about it right before its start. */
  admission: Admission | undefined
  /** When its handler last began; undefined while it never has. */
  startedAtMs: number | undefined
  /** The turn of the event loop in which it last began. */
  startedTick: number
  /** Made when the handler asks for its signal. */
  abort: AbortController | undefined
  /** Ends the wait for the handler with this result; undefined while no handler runs. */
  give: ((result: HandlerResult) => void) | undefined
  /** The span of its last attempt, if there is tracing. */
  span: RunSpan | undefined
}

/** How the deliveries of a queue are read. */
export interface RunReading {
  readonly decode: BodyDecoder
  readonly orderBy: ((message: ConsumedMessage) => unknown) | undefined
  readonly attempts: AttemptsRule
  /** What ends its process too often can be parked, and shall be. */
  readonly hasPoison: boolean
}

export function createRun(
  delivery: Delivery,
  reading: RunReading,
  {
    version,
    givenBack,
    nowMs,
  }: {
    readonly version: BrokerVersion
    readonly givenBack?: GivenBack | undefined
    readonly nowMs: number
  },
): Run {
  const headers = readProperty(delivery.properties, 'headers')
  const failedBefore = headers === undefined ? 0 : countAttempts({ headers, rule: reading.attempts, version })
  const message = new DeliveredMessage(delivery, reading.decode, retriesOf(reading, failedBefore))
  const { orderedBy, refusal } = orderOf(message, reading.orderBy)
  return {
    delivery,
    message,
    headers,
    failedBefore,
    orderedBy,
    orderKey: orderedBy,
    refusal,
    localFailures: 0,
    probes: undefined,
    givenBack,
    standing: decideStanding({
      headers,
      isRedelivered: delivery.isRedelivered,
      hasLimit: reading.hasPoison,
      givenBack,
    }),
    ignoresLimit: false,
    version,
    receivedAtMs: nowMs,
    admission: undefined,
    startedAtMs: undefined,
    startedTick: -1,
    abort: undefined,
    give: undefined,
    span: undefined,
    place: -1,
  }
}

function retriesOf({ attempts }: RunReading, count: number): Retries | undefined {
  if (attempts.kind !== 'rejections' || attempts.retriesHeader === undefined) return undefined
  return { header: attempts.retriesHeader, count }
}

/** The attempt that a run is, from 1. */
export function attemptOf({ failedBefore, localFailures }: Run): number {
  return failedBefore + localFailures + 1
}

type Order = Pick<Run, 'orderedBy' | 'refusal'>

const unordered: Order = { orderedBy: undefined, refusal: undefined }

function orderOf(message: DeliveredMessage, orderBy: RunReading['orderBy']): Order {
  if (!orderBy) return unordered
  try {
    return { orderedBy: orderBy(message), refusal: undefined }
  } catch (thrown) {
    return { orderedBy: undefined, refusal: failedBy(thrown) }
  }
}
