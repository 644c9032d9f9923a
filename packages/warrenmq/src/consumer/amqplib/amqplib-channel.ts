import { InvalidArgumentError } from '../../errors.ts'
import { type BrokerVersion, parseBrokerVersion } from '../../message/broker-version.ts'

/** What Warren needs of a confirm channel of amqplib, of either of its APIs. A plain channel has no `waitForConfirms`. */
export interface AmqplibChannel {
  /** Publishes; the callback hears of the confirm. */
  publish(
    exchange: string,
    routingKey: string,
    content: Buffer,
    options: object,
    callback: (error: unknown) => void,
  ): unknown
  /** Acknowledges one message. */
  ack(message: AmqplibMessage): void
  /** Rejects one message, or gives it back. */
  nack(message: AmqplibMessage, allUpTo?: boolean, requeue?: boolean): void
  /** Listens for `return` and `close`. */
  on(event: string, listener: (message: AmqplibMessage) => void): unknown
  /** Only a confirm channel has it. */
  waitForConfirms(...args: never[]): unknown
}

/** A message as amqplib hands it out. */
export interface AmqplibMessage {
  /** The body, in bytes. */
  readonly content: Buffer
  /** How it was delivered. */
  readonly fields: {
    /** The number of the delivery on its channel. */
    readonly deliveryTag: number
    /** Whether the broker has delivered it before. */
    readonly redelivered: boolean
    /** The exchange that it came by. */
    readonly exchange: string
    /** The routing key that it came with. */
    readonly routingKey: string
  }
  /** The properties, `headers` among them. */
  readonly properties: object
}

/** What the channel's own `consume` hands out, so that a wrapped callback knows the properties that amqplib declares. */
export type AmqplibMessageOf<Channel> = Channel extends {
  consume(queue: never, onMessage: (message: infer Message) => void, ...others: never[]): unknown
}
  ? Extract<Message, AmqplibMessage>
  : AmqplibMessage

export function refusePlainChannel(channel: unknown): void {
  const { publish, ack, waitForConfirms } = (channel ?? {}) as Partial<AmqplibChannel>
  if (typeof publish !== 'function' || typeof ack !== 'function') {
    throw new InvalidArgumentError(
      'retrying() takes a confirm channel of amqplib first: retrying(await connection.createConfirmChannel(), policy, handler).',
    )
  }
  if (typeof waitForConfirms === 'function') return
  throw new InvalidArgumentError(
    'retrying() got a channel without confirms. A failed message is published to its wait queue and acknowledged only when ' +
      'the broker has confirmed the copy; without confirms it could be lost. Use connection.createConfirmChannel().',
  )
}

/** As the broker told amqplib; the oldest that is supported where it did not. */
export function versionBehind(channel: object): BrokerVersion {
  const { connection } = channel as {
    connection?: { serverProperties?: { version?: unknown } | undefined } | undefined
  }
  const version = connection?.serverProperties?.version
  return parseBrokerVersion(typeof version === 'string' ? version : '3.10.0')
}
