import { type InspectOptions, inspect } from 'node:util'
import type { Delivery } from '../../broker/amqp/delivery.ts'
import { joinBody } from '../../broker/amqp/message.ts'
import { headerText } from '../../message/header-values.ts'
import { isHop } from '../../message/is-hop.ts'
import { originalAddress, readDeaths } from '../../message/read-deaths.ts'
import { warrenHeaders } from '../../message/warren-headers.ts'
import { decodeTable } from '../../wire/decode-table.ts'
import { type PlainTable, toPlainTable } from '../../wire/plain-fields.ts'
import { decodeProperties, type Properties } from '../../wire/properties.ts'
import { messageToJson, showMessage } from '../observe/show-message.ts'
import type { BodyDecoder, ConsumedMessage } from './consumed-message.ts'

/** What a layout says in a header, if the broker's own loop cannot write it. */
export interface Retries {
  readonly header: string
  readonly count: number
}

/** What a message is made of. */
type DeliveredParts = Pick<Delivery, 'properties' | 'body' | 'exchange' | 'routingKey' | 'isRedelivered'>

/** One message of a delivery. The bytes belong to it, so it outlives the connection it came by. */
export class DeliveredMessage implements ConsumedMessage {
  readonly #delivery: DeliveredParts
  readonly #decode: BodyDecoder
  #properties: Properties | undefined
  #headers: PlainTable | undefined
  #address: { readonly exchange: string; readonly routingKey: string } | undefined
  #rawBody: Buffer | undefined
  #body: { readonly value: unknown } | undefined
  readonly #retries: Retries | undefined

  constructor(delivery: DeliveredParts, decode: BodyDecoder, retries?: Retries) {
    this.#delivery = delivery
    this.#decode = decode
    this.#retries = retries
  }

  get body(): unknown {
    this.#body ??= { value: this.#decode(this) }
    return this.#body.value
  }

  get rawBody(): Buffer {
    this.#rawBody ??= joinBody(this.#delivery.body)
    return this.#rawBody
  }

  get headers(): PlainTable {
    this.#headers ??= this.#readHeaders()
    return this.#headers
  }

  get exchange(): string {
    return this.#origin.exchange
  }

  get routingKey(): string {
    return this.#origin.routingKey
  }

  get id(): string | undefined {
    return this.#decoded.messageId
  }

  get type(): string | undefined {
    return this.#decoded.type
  }

  get correlationId(): string | undefined {
    return this.#decoded.correlationId
  }

  get replyTo(): string | undefined {
    return this.#decoded.replyTo
  }

  get appId(): string | undefined {
    return this.#decoded.appId
  }

  get contentType(): string | undefined {
    return this.#decoded.contentType
  }

  get contentEncoding(): string | undefined {
    return this.#decoded.contentEncoding
  }

  get timestamp(): Date | undefined {
    const { timestamp } = this.#decoded
    return timestamp === undefined ? undefined : new Date(Number(timestamp) * 1000)
  }

  get isRedelivered(): boolean {
    return this.#delivery.isRedelivered
  }

  /** What `JSON.stringify(message)` writes: everything that fits into a log line. */
  toJSON(): unknown {
    return messageToJson(this)
  }

  #readHeaders(): PlainTable {
    const { headers } = this.#decoded
    const own = headers === undefined ? {} : toPlainTable(decodeTable(headers))
    return this.#retries === undefined ? own : { ...own, [this.#retries.header]: this.#retries.count }
  }

  get #decoded(): Properties {
    this.#properties ??= decodeProperties(this.#delivery.properties)
    return this.#properties
  }

  get #origin(): { readonly exchange: string; readonly routingKey: string } {
    this.#address ??= originOf(this.#delivery, this.#decoded.headers)
    return this.#address
  }
}

// What console.log(message) shows: the class has getters alone, which it would leave out.
Object.defineProperty(DeliveredMessage.prototype, inspect.custom, {
  value(this: DeliveredMessage, _depth: number, options: InspectOptions): string {
    return `DeliveredMessage ${inspect(showMessage(this), options)}`
  },
})

/**
 * Where a message was first published: as its deaths tell, as a retry wrote it down if it died first on its way
 * (`isHop`), or as it came.
 */
export function originOf(
  delivery: { readonly exchange: string; readonly routingKey: string },
  headers: Buffer | undefined,
): { readonly exchange: string; readonly routingKey: string } {
  if (headers === undefined) return delivery
  const written = writtenAddress(headers)
  const history = readDeaths(headers)
  const died = originalAddress(history)
  if (!died || !isAddress(died)) return written ?? delivery
  const { queue = '', reason = '' } = history.first ?? {}
  const isOnItsWay = isHop({ queue, reason, exchange: died.exchange, key: died.routingKey }, headers)
  return isOnItsWay ? (written ?? died) : died
}

function writtenAddress(
  headers: Buffer,
): { readonly exchange: string; readonly routingKey: string } | undefined {
  const exchange = headerText(headers, warrenHeaders.originalExchange)
  const routingKey = headerText(headers, warrenHeaders.originalRoutingKey)
  if (exchange === undefined || routingKey === undefined) return undefined
  return isAddress({ exchange, routingKey }) ? { exchange, routingKey } : undefined
}

/** A client can write anything into a header. No broker has such a name or key of more than 255 bytes, nor takes one. */
function isAddress({ exchange, routingKey }: { readonly exchange: string; readonly routingKey: string }) {
  return Buffer.byteLength(exchange) <= 255 && Buffer.byteLength(routingKey) <= 255
}
