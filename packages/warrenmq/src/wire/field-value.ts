/**
 * A value of a field table with the type tag it has on the wire. Nothing is narrowed or widened: a Java
 * `Long` stays `l`, so a message that is put back looks to its consumer as it did the first time.
 */
export type FieldValue = FieldContent & {
  /** Set only where the canonical encoding of `value` would differ from the bytes that were read. */
  readonly raw?: Buffer
}

/** A value with its AMQP type. */
export type FieldContent =
  /** True or false. */
  | { readonly type: 't'; readonly value: boolean }
  /** An integer of 8, 16 or 32 bits. */
  | { readonly type: IntegerTag; readonly value: number }
  /** An integer of 64 bits, or a time in seconds since 1970 (`T`). */
  | { readonly type: 'l' | 'T'; readonly value: bigint }
  /** A floating-point number of 32 or 64 bits. */
  | { readonly type: 'f' | 'd'; readonly value: number }
  /** A decimal number. */
  | { readonly type: 'D'; readonly value: Decimal }
  /** Text where the bytes are UTF-8, else the bytes. */
  | { readonly type: 'S'; readonly value: string | Buffer }
  /** Bytes. */
  | { readonly type: 'x'; readonly value: Buffer }
  /** A list. */
  | { readonly type: 'A'; readonly value: readonly FieldValue[] }
  /** A table inside the table. */
  | { readonly type: 'F'; readonly value: FieldTable }
  /** No value. */
  | { readonly type: 'V'; readonly value: null }

/** The AMQP types of integers of 8, 16 and 32 bits: signed `b`, `s`, `I`; unsigned `B`, `u`, `i`. */
export type IntegerTag = 'b' | 'B' | 's' | 'u' | 'I' | 'i'

/** unscaled ÷ 10^scale */
export interface Decimal {
  /** Digits after the decimal point. */
  readonly scale: number
  /** The number without its decimal point. */
  readonly unscaled: number
}

/** Entries in the order of the wire; RabbitMQ allows a name to stand twice, so this is not a map. */
export type FieldTable = readonly FieldEntry[]

/** One entry of a field table. */
export interface FieldEntry {
  /** Its name. */
  readonly name: string
  /** Its value. */
  readonly value: FieldValue
  /** Set only where the name's bytes are not UTF-8. */
  readonly nameBytes?: Buffer
}

/** The types whose values have one size, in bytes after the tag; the others carry a 32-bit length. */
export const fixedFieldSizes = {
  t: 1,
  b: 1,
  B: 1,
  s: 2,
  u: 2,
  I: 4,
  i: 4,
  l: 8,
  T: 8,
  f: 4,
  d: 8,
  D: 5,
  V: 0,
} as const
