import fc from 'fast-check'
import type { FieldEntry, FieldTable, FieldValue } from '../../../packages/warrenmq/src/wire/field-value.ts'

const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array))
/** Only bytes that are not UTF-8: text has a form of its own. */
const notText = bytes.filter((value) => !Buffer.from(value.toString('utf8')).equals(value))

const scalar: fc.Arbitrary<FieldValue> = fc.oneof(
  fc.record({ type: fc.constant('t' as const), value: fc.boolean() }),
  fc.record({ type: fc.constant('b' as const), value: fc.integer({ min: -128, max: 127 }) }),
  fc.record({ type: fc.constant('B' as const), value: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ type: fc.constant('s' as const), value: fc.integer({ min: -32768, max: 32767 }) }),
  fc.record({ type: fc.constant('u' as const), value: fc.integer({ min: 0, max: 65535 }) }),
  fc.record({ type: fc.constant('I' as const), value: fc.integer() }),
  fc.record({ type: fc.constant('i' as const), value: fc.integer({ min: 0, max: 0xffffffff }) }),
  fc.record({
    type: fc.constant('l' as const),
    value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  }),
  fc.record({ type: fc.constant('T' as const), value: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) }),
  fc.record({ type: fc.constant('f' as const), value: fc.float({ noNaN: true }) }),
  fc.record({ type: fc.constant('d' as const), value: fc.double({ noNaN: true }) }),
  fc.record({
    type: fc.constant('D' as const),
    value: fc.record({
      scale: fc.integer({ min: 0, max: 255 }),
      unscaled: fc.integer({ min: 0, max: 0xffffffff }),
    }),
  }),
  fc.record({ type: fc.constant('S' as const), value: fc.oneof(fc.string({ unit: 'binary' }), notText) }),
  fc.record({ type: fc.constant('x' as const), value: bytes }),
  fc.constant({ type: 'V', value: null } as const),
)

const name = fc.string({ unit: 'binary', maxLength: 60 })

/** Any value a field table can hold, in any of RabbitMQ's types. */
export const anyFieldValue: fc.Arbitrary<FieldValue> = fc.letrec<{ value: FieldValue; table: FieldTable }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      scalar,
      fc.record({ type: fc.constant('A' as const), value: fc.array(tie('value'), { maxLength: 5 }) }),
      fc.record({ type: fc.constant('F' as const), value: tie('table') }),
    ),
    table: fc.array(fc.record({ name, value: tie('value') }), { maxLength: 5 }),
  }),
).value

const entry: fc.Arbitrary<FieldEntry> = fc.record({ name, value: anyFieldValue })

/** Any valid field table; names may repeat. */
export const anyFieldTable: fc.Arbitrary<FieldTable> = fc.array(entry, { maxLength: 12 })
