/**
 * A value of a field table with the type tag it has on the wire. Nothing is narrowed or widened: a Java
 * `Long` stays `l`, so a message that is put back looks to its consumer as it did the first time.
 */
export type FieldValue = FieldContent & {
  /** Set only where the canonical encoding of `value` would differ from the bytes that were read. */
  readonly raw?: Buffer
}

export type FieldContent =
  | { readonly type: 't'; readonly value: boolean }
  | { readonly type: IntegerTag; readonly value: number }
  | { readonly type: 'l' | 'T'; readonly value: bigint }
  | { readonly type: 'f' | 'd'; readonly value: number }
  | { readonly type: 'D'; readonly value: Decimal }
  /** Text where the bytes are UTF-8, else the bytes. */
  | { readonly type: 'S'; readonly value: string | Buffer }
  | { readonly type: 'x'; readonly value: Buffer }
  | { readonly type: 'A'; readonly value: readonly FieldValue[] }
  | { readonly type: 'F'; readonly value: FieldTable }
  | { readonly type: 'V'; readonly value: null }

/** b int8, B uint8, s int16, u uint16, I int32, i uint32. (l int64 and T seconds since 1970 are bigint.) */
export type IntegerTag = 'b' | 'B' | 's' | 'u' | 'I' | 'i'

/** unscaled ÷ 10^scale */
export interface Decimal {
  readonly scale: number
  readonly unscaled: number
}

/** Entries in the order of the wire; RabbitMQ allows a name to stand twice, so this is not a map. */
export type FieldTable = readonly FieldEntry[]

export interface FieldEntry {
  readonly name: string
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
