import { InvalidArgumentError } from '../../errors.ts'
import { createEvents } from '../../events.ts'
import { countAttempts } from '../../message/count-attempts.ts'
import { escapeLine } from '../../message/escape-text.ts'
import { type OptionNames, refuseUnknown } from '../../message/refuse-unknown.ts'
import { compileTopology } from '../../topology/compile-topology.ts'
import type { Topology } from '../../topology/define-topology.ts'
import type { QueueFlow } from '../../topology/queue-flow.ts'
import { readProperty } from '../../wire/properties.ts'
import type { ConsumerOptions } from '../consumer-options.ts'
import type { HandlerReturn } from '../handler.ts'
import { DeliveredMessage } from '../run/delivered-message.ts'
import { settleConsumerOptions } from '../settle-consumer-options.ts'
import {
  type AmqplibChannel,
  type AmqplibMessage,
  type AmqplibMessageOf,
  refusePlainChannel,
  versionBehind,
} from './amqplib-channel.ts'
import { readAmqplibProperties } from './amqplib-properties.ts'
import { attend } from './attend.ts'
import { copyPlacerOf } from './copy-placer.ts'
import type { Attendance, RetryingContext, RetryingEvent, WrappedRun } from './wrapped-run.ts'

/** Which queue is consumed, and how its messages are retried and parked. */
export interface RetryingOptions<QueueName extends string = string>
  extends Pick<
    ConsumerOptions,
    'timeout' | 'ackTimeout' | 'holdUpTo' | 'decode' | 'statusTable' | 'service' | 'host' | 'clock' | 'random'
  > {
  /**
   * Declares the queue, and how it retries and parks. Its wait queues and dead-letter queue come from `warren apply`.
   * @example { topology: defineTopology({ queues: { orders: {} } }) }
   */
  readonly topology: Topology<QueueName>
  /**
   * The queue, by its name in the topology.
   * @example { queue: 'orders' }
   */
  readonly queue: QueueName
  /**
   * Called with what became of each delivery, and with each copy that could not be published. @default a warning about
   * the first such copy
   * @example { onEvent: (event) => console.log(event.kind) }
   */
  readonly onEvent?: (event: RetryingEvent) => void
}

/** An amqplib callback, and a way to wait for what it has in hand. */
export interface RetryingCallback<Message> {
  /** Give this to `channel.consume`. */
  (message: Message | null): void
  /**
   * Resolves when nothing is in hand: cancel the consumer, wait for this, then close the channel, and the connection after
   * it. A connection that is closed alone overtakes the last acknowledgements.
   * @example
   * ```ts
   * const onMessage = retrying(channel, { topology, queue: 'orders' }, () => undefined)
   * await onMessage.idle()
   * await channel.close()
   * ```
   */
  idle(): Promise<void>
}

/**
 * Wraps the callback of amqplib's `channel.consume`, and gives it retries, parking and outcomes. Return to acknowledge,
 * throw to retry; the message is settled for you, so take `channel.ack` and `channel.nack` out of the callback. Takes a
 * confirm channel: a failed message is published to its wait queue or its dead-letter queue, and acknowledged only after
 * the broker has confirmed that copy and returned none.
 * @example
 * ```ts
 * const onMessage = retrying(channel, { topology, queue: 'orders' }, async (message, { attempt }) => {
 *   console.log('attempt', attempt, 'of', message.content.length, 'bytes')
 * })
 * await channel.consume('orders', onMessage)
 * ```
 */
export function retrying<
  QueueName extends string,
  Channel extends AmqplibChannel,
  Message extends AmqplibMessage = AmqplibMessageOf<Channel>,
>(
  channel: Channel,
  policy: RetryingOptions<QueueName>,
  handler: (message: Message, context: RetryingContext) => HandlerReturn | PromiseLike<HandlerReturn>,
): RetryingCallback<Message> {
  refusePlainChannel(channel)
  refuseUnknown('retrying()', policy, policyNames)
  const { topology, queue, onEvent, ...options } = policy
  const version = versionBehind(channel)
  const flow = flowOf(topology, queue, version)
  const settled = settleConsumerOptions(options, flow)
  const events = createEvents<{ told: RetryingEvent }>()
  events.on('told', onEvent ?? warnOnce(flow.queue))
  const attendance: Attendance = {
    channel,
    placer: copyPlacerOf(channel),
    flow,
    version,
    options: settled,
    handler: handler as Attendance['handler'],
    tell: (event) => events.emit('told', event),
  }
  const inHand = new Set<Promise<void>>()
  const callback = (message: Message | null): void => {
    if (message === null) {
      attendance.tell({ kind: 'cancelled' })
      return
    }
    const work: Promise<void> = attend(createRun(message, attendance), attendance).finally(() =>
      inHand.delete(work),
    )
    inHand.add(work)
  }
  return Object.assign(callback, { idle: () => untilEmpty(inHand) })
}

const policyNames: OptionNames<RetryingOptions> = {
  topology: true,
  queue: true,
  timeout: true,
  ackTimeout: true,
  holdUpTo: true,
  decode: true,
  statusTable: true,
  service: true,
  host: true,
  clock: true,
  random: true,
  onEvent: true,
}

function flowOf(topology: Topology, queue: string, brokerVersion: Attendance['version']): QueueFlow {
  if (topology === undefined)
    throw new InvalidArgumentError('retrying() got no topology. Pass { topology: defineTopology(…), queue }.')
  const flow = compileTopology(topology, { brokerVersion }).flows.find(({ name }) => name === queue)
  if (flow) return flow
  throw new InvalidArgumentError(`The topology has no queue "${queue}". Declare it, or correct the name.`)
}

function createRun(message: AmqplibMessage, { flow, version, options }: Attendance): WrappedRun {
  const { exchange, routingKey, redelivered } = message.fields
  const properties = readAmqplibProperties(message.properties)
  const delivery = { properties, body: message.content, exchange, routingKey, isRedelivered: redelivered }
  const headers = readProperty(properties, 'headers')
  return {
    message,
    delivery,
    headers,
    consumed: new DeliveredMessage(delivery, options.decode),
    failedBefore: headers === undefined ? 0 : countAttempts({ headers, rule: flow.attempts, version }),
    localFailures: 0,
    receivedAtMs: options.clock.now(),
  }
}

async function untilEmpty(inHand: ReadonlySet<Promise<void>>): Promise<void> {
  while (inHand.size > 0) await Promise.all(inHand)
}

function warnOnce(queue: string): (event: RetryingEvent) => void {
  const told = new Set<string>()
  return (event) => {
    if (told.has(event.kind)) return
    told.add(event.kind)
    const sentence = describeTrouble(queue, event)
    if (sentence !== undefined) process.emitWarning(escapeLine(sentence), { code: 'WARREN_RETRYING' })
  }
}

function describeTrouble(queue: string, event: RetryingEvent): string | undefined {
  if (event.kind === 'cancelled')
    return `The broker ended the consumer of "${queue}", as it does when a queue is deleted. Consume again when it is back.`
  if (event.kind !== 'unplaced') return undefined
  return `A failed message of "${queue}" cannot move on: ${event.problem}. It is kept, and tried again. Run \`warren plan\` to see what is missing.`
}
