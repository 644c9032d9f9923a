import type { Delivery } from '../broker/amqp/delivery.ts'
import { joinBody } from '../broker/amqp/message.ts'
import { headerText } from '../message/header-values.ts'
import { originalAddress, readDeaths } from '../message/read-deaths.ts'
import { warrenHeaders } from '../message/warren-headers.ts'
import { type PlainTable, toPlainTable } from '../wire/plain-fields.ts'
import { decodeProperties, type Properties } from '../wire/properties.ts'
import { decodeTable } from '../wire/read-field.ts'
import type { BodyDecoder } from './decode-body.ts'

/** A message as a handler sees it. Everything is decoded when it is first asked for. */
export interface ConsumedMessage<Body = unknown> {
  /** Decoded by content type. Reading it throws where it cannot be decoded, and the message is parked. */
  readonly body: Body
  readonly rawBody: Buffer
  readonly headers: PlainTable
  /** Where it was first published; retries and dead-lettering do not change it. */
  readonly exchange: string
  readonly routingKey: string
  readonly id: string | undefined
  readonly type: string | undefined
  readonly correlationId: string | undefined
  readonly replyTo: string | undefined
  readonly appId: string | undefined
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  readonly timestamp: Date | undefined
  readonly isRedelivered: boolean
}

/** One message of a delivery. The bytes belong to it, so it outlives the connection it came by. */
export class DeliveredMessage implements ConsumedMessage {
  readonly #delivery: Delivery
  readonly #decode: BodyDecoder
  #properties: Properties | undefined
  #headers: PlainTable | undefined
  #address: { readonly exchange: string; readonly routingKey: string } | undefined
  #rawBody: Buffer | undefined
  #body: { readonly value: unknown } | undefined

  constructor(delivery: Delivery, decode: BodyDecoder) {
    this.#delivery = delivery
    this.#decode = decode
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
    const { headers } = this.#decoded
    this.#headers ??= headers === undefined ? {} : toPlainTable(decodeTable(headers))
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

  get #decoded(): Properties {
    this.#properties ??= decodeProperties(this.#delivery.properties)
    return this.#properties
  }

  get #origin(): { readonly exchange: string; readonly routingKey: string } {
    this.#address ??= originOf(this.#delivery, this.#decoded.headers)
    return this.#address
  }
}

/** Where a message was first published: as a retry wrote it down, as its deaths tell, or as it came. */
export function originOf(
  delivery: { readonly exchange: string; readonly routingKey: string },
  headers: Buffer | undefined,
): { readonly exchange: string; readonly routingKey: string } {
  if (headers === undefined) return delivery
  const exchange = headerText(headers, warrenHeaders.originalExchange)
  const routingKey = headerText(headers, warrenHeaders.originalRoutingKey)
  if (exchange !== undefined && routingKey !== undefined) return { exchange, routingKey }
  return originalAddress(readDeaths(headers)) ?? delivery
}
