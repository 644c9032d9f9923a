import type { FieldTable } from './field-value.ts'

/**
 * The properties of a message as they stand on the wire: two bytes of flags, then the values. They are
 * passed on as they came; only what is asked for is decoded, only what is edited is rewritten.
 */
export type RawProperties = Buffer

/** In the order of the flags, from the highest bit down. */
export const propertyKinds = {
  contentType: 'text',
  contentEncoding: 'text',
  headers: 'table',
  deliveryMode: 'octet',
  priority: 'octet',
  correlationId: 'text',
  replyTo: 'text',
  expiration: 'text',
  messageId: 'text',
  timestamp: 'time',
  type: 'text',
  userId: 'text',
  appId: 'text',
  clusterId: 'text',
} as const

/** The properties of an AMQP message. */
export type PropertyName = keyof typeof propertyKinds
/** What a property of each kind is in TypeScript. */
export type ValueOfKind = {
  /** A short string. */
  text: string
  /** One byte. */
  octet: number
  /** Seconds since 1970. */
  time: bigint
  /** An encoded field table. */
  table: Buffer
}

/** Every property decoded; `headers` is the encoded table (see `decodeTable`, `findHeader`). */
export type Properties = {
  readonly [Name in PropertyName]?: ValueOfKind[(typeof propertyKinds)[Name]] | undefined
}

/** What to write; `headers` may also be entries. `timestamp` is in seconds since 1970. */
export type PropertiesInput = Omit<Properties, 'headers'> & {
  /** A table as bytes, which is passed on unchanged, or as entries. */
  readonly headers?: Buffer | FieldTable | undefined
}
