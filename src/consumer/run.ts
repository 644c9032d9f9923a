import type { Delivery } from '../broker/amqp/delivery.ts'
import type { DeliveredMessage } from './consumed-message.ts'
import type { HandlerResult } from './handler-result.ts'

/** One message on its way through the consumer, from its delivery to its settlement. */
export interface Run {
  /** Changes when the connection is lost and the same message is delivered again while its handler runs. */
  delivery: Delivery
  readonly message: DeliveredMessage
  /** Failed attempts before this delivery. */
  readonly failedBefore: number
  readonly orderKey: unknown
  readonly receivedAtMs: number
  /** The user's `orderBy` threw: the handler is not run. */
  readonly refusal: HandlerResult | undefined
  /** Failures within this delivery that cost no attempt on the broker: those of a plain queue. */
  localFailures: number
  /** It was let through while the breaker tries whether things work again. */
  isProbe: boolean
  startedAtMs: number
  /** Made when the handler asks for its signal. */
  abort: AbortController | undefined
  /** Ends the wait for the handler with this result; undefined while no handler runs. */
  give: ((result: HandlerResult) => void) | undefined
}

export type NewRun = Pick<
  Run,
  'delivery' | 'message' | 'failedBefore' | 'orderKey' | 'refusal' | 'receivedAtMs'
>

export function newRun(of: NewRun): Run {
  return { ...of, startedAtMs: 0, localFailures: 0, isProbe: false, abort: undefined, give: undefined }
}
