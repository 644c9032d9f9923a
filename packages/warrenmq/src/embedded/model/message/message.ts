import type { Body } from '../../../wire/frame-writer.ts'
import type { RawProperties } from '../../../wire/properties.ts'

export type DeathReason = 'rejected' | 'expired' | 'maxlen' | 'delivery_limit'

/** One way in which a message has died, and how often. */
export interface DeathRecord {
  readonly queue: string
  readonly reason: DeathReason
  readonly count: number
  /** Of the first death of this kind, in milliseconds since 1970. */
  readonly firstAtMs: number
  readonly exchange: string
  readonly routingKeys: readonly string[]
  readonly originalExpirationMs: number | undefined
}

/** A message on its way through the broker. It is never changed: a dead letter is a new message. */
export interface Message {
  readonly exchange: string
  /** The key it was published with, then its CC keys, then its BCC keys. */
  readonly routingKeys: readonly string[]
  readonly bccKeys: readonly string[]
  /** As a consumer will get them, but for what a queue adds at delivery. */
  readonly properties: RawProperties
  readonly body: Body
  readonly bodyBytes: number
  /** The properties as they came count towards a length limit in bytes on some versions. */
  readonly propertiesBytes: number
  readonly isPersistent: boolean
  readonly priority: number | undefined
  readonly expirationMs: number | undefined
  /** The newest first. Kept by the broker from 4.0 on; before, the x-death header is all there is. */
  readonly deaths: readonly DeathRecord[]
  /** What a quorum queue of 4.x hands on with a dead letter. */
  readonly carriedDeliveryCount: number | undefined
}

/** How a death is written down, and what the record is used for. Differs between 3.x and 4.x. */
export interface DeathRules {
  record(message: Message, death: Death): Message
  /** True when the message would go round without a client ever having rejected it. */
  isCycle(message: Message, targetQueue: string): boolean
}

export interface Death {
  readonly queue: string
  readonly reason: DeathReason
  readonly atMs: number
  /** It had been written to disk, from where 3.x reads it without its expiration. */
  readonly isFromDisk: boolean
  readonly deadLetterExchange: string
  /** Replaces the message's own routing keys. */
  readonly deadLetterRoutingKey: string | undefined
}
