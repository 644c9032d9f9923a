import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amqplibDefinitions, amqplibMethods } from '../../../../test/fixtures/amqplib-definitions.ts'
import { anyBytes } from '../../../../test/support/arbitrary/bytes.ts'
import {
  anyMethod,
  anyMethodNamed,
  methodNames,
  shownFields,
} from '../../../../test/support/arbitrary/methods.ts'
import { type Method, type MethodName, methodSpecs } from './method-specs.ts'
import { decodeMethod, encodeMethod, methodIdOf } from './methods.ts'
import { toFieldTable, toPlainTable } from './plain-fields.ts'

/** 'basic.get-empty' is BasicGetEmpty there. */
const theirNameOf = (name: MethodName) =>
  name.replace(/(^|[.-])([a-z])/g, (_, __, letter: string) => letter.toUpperCase())
const theirMethodOf = (name: MethodName) =>
  amqplibMethods.find((theirs) => theirs.name === theirNameOf(name))!

/** Fields that AMQP 0-9-1 no longer uses keep their old names there. */
const reservedNames = [
  'capabilities',
  'channelId',
  'clusterId',
  'insist',
  'knownHosts',
  'outOfBand',
  'ticket',
]
const ourNameOf = (theirs: string) => {
  if (reservedNames.includes(theirs)) return 'reserved'
  return { nowait: 'noWait', virtualHost: 'vhost' }[theirs] ?? theirs
}

describe('a method', () => {
  it.each(methodNames)('%s is the same after encode and decode, whatever its fields hold', (name) => {
    fc.assert(
      fc.property(anyMethodNamed(name), (method) => {
        const bytes = encodeMethod(method)

        expect(bytes.readUInt32BE(0)).toBe(methodIdOf(name))
        expect(decodeMethod(bytes)).toEqual(method)
        expect(encodeMethod(decodeMethod(bytes)).equals(bytes)).toBe(true)
      }),
      { numRuns: 40 },
    )
  })

  it('keeps names and keys that are not UTF-8 byte for byte', () => {
    fc.assert(
      fc.property(anyBytes(255), anyBytes(255), (exchange, key) => {
        const id = Buffer.from([0, 60, 0, 40, 0, 0])
        const payload = Buffer.concat([id, sized(exchange), sized(key), Buffer.from([1])])

        expect(encodeMethod(decodeMethod(payload)).equals(payload)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is written with the fields that were left out, as the reader counts places', () => {
    const sparse = { name: 'queue.declare', queue: 'orders' } as Method

    expect(decodeMethod(encodeMethod(sparse))).toEqual({
      name: 'queue.declare',
      queue: 'orders',
      passive: false,
      durable: false,
      exclusive: false,
      autoDelete: false,
      noWait: false,
      arguments: [],
    })
  })
})

describe("the table of methods, against amqplib's", () => {
  it('has the same methods with the same numbers', () => {
    const ours = methodNames.map((name) => [theirNameOf(name), methodIdOf(name)])
    const theirs = amqplibMethods
      .filter(({ name }) => !name.startsWith('Access')) // class access left AMQP with 0-9-1
      .map(({ name, id }) => [name, id])

    expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(theirs))
  })

  it.each(methodNames)('has the fields of %s in the same order, with the same names and types', (name) => {
    const ours = Object.entries(methodSpecs[name].fields).map(([field, type]) => ({
      type,
      name: field.startsWith('reserved') ? 'reserved' : field,
    }))

    expect(ours).toEqual(
      theirMethodOf(name).args.map((field) => ({ type: field.type, name: ourNameOf(field.name) })),
    )
  })

  it.each(methodNames)('reads what they write of %s, and they read what it writes', (name) => {
    fc.assert(
      fc.property(anyMethodNamed(name, { table: anySharedTable }), (method) => {
        const theirs = toTheirs(method)

        const frame = amqplibDefinitions.encodeMethod(methodIdOf(name), 7, theirs)
        expect(toTheirs(decodeMethod(frame.subarray(7, -1)))).toEqual(theirs)

        const read = amqplibDefinitions.decode(methodIdOf(name), encodeMethod(method).subarray(4))
        expect(read).toMatchObject(theirs)
      }),
      { numRuns: 40 },
    )
  })
})

describe('a method payload', () => {
  it('is refused at every length but its own', () => {
    fc.assert(
      fc.property(anyMethod, fc.nat(), fc.integer({ min: 0, max: 255 }), (method, cut, extra) => {
        const payload = encodeMethod(method)
        const shorter = payload.subarray(0, cut % payload.length)
        const longer = Buffer.concat([payload, Buffer.from([extra])])

        expect(() => decodeMethod(shorter)).toThrowError(
          expect.objectContaining({ code: 'WIRE_TRUNCATED', offset: expect.any(Number) }),
        )
        expect(() => decodeMethod(longer)).toThrowError(
          expect.objectContaining({ code: 'WIRE_TRAILING_BYTES', offset: payload.length }),
        )
      }),
      { numRuns: 1_000 },
    )
  })

  it.each([
    ['WIRE_UNKNOWN_METHOD', 'a method that does not exist', [0, 60, 0, 99]],
    ['WIRE_UNKNOWN_METHOD', 'a class that does not exist', [0, 30, 0, 10]],
    ['WIRE_BAD_VALUE', 'a delivery tag beyond 2^53', [0, 60, 0, 80, 0, 32, 0, 0, 0, 0, 0, 0, 0]],
    ['WIRE_TRUNCATED', 'a length beyond its end', [0, 10, 0, 20, 0xff, 0xff, 0xff, 0xff, 1]],
  ])('is refused as %s with %s', (code, _, bytes) => {
    expect(() => decodeMethod(Buffer.from(bytes))).toThrowError(expect.objectContaining({ code }))
  })

  it.each<[string, Method, RegExp]>([
    ['a name too long', { name: 'basic.cancel', consumerTag: 'é'.repeat(128), noWait: false }, /256 bytes/],
    ['a count below zero', { name: 'basic.qos', prefetchSize: 0, prefetchCount: -1, global: false }, /-1/],
    [
      'a count too large',
      { name: 'basic.qos', prefetchSize: 0, prefetchCount: 65_536, global: false },
      /65535/,
    ],
    ['half a count', { name: 'queue.purge-ok', messageCount: 0.5 }, /whole number/],
    ['a tag that is none', { name: 'basic.ack', deliveryTag: Number.NaN, multiple: false }, /deliveryTag/],
  ])('is not written with %s, and the error says which field', (_, method, message) => {
    expect(() => encodeMethod(method)).toThrowError(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(message) }),
    )
  })
})

/** Table values that amqplib neither widens nor narrows, so that both sides must show the same. */
const anySharedTable = fc
  .dictionary(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((name) => name !== '__proto__'),
    fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean(), fc.constant(null)),
    { maxKeys: 5, noNullPrototype: true },
  )
  .map(toFieldTable)

/** Our fields under their names, which stand at the same places. */
function toTheirs(method: Method): Record<string, unknown> {
  const values = method as unknown as Readonly<Record<string, unknown>>
  const places = Object.keys(methodSpecs[method.name].fields)
  const { args } = theirMethodOf(method.name)
  const named = shownFields(method.name).map(([field, kind]) => {
    const value = kind === 'table' ? toPlainTable(values[field] as never) : values[field]
    return [args[places.indexOf(field)]!.name, value]
  })
  return Object.fromEntries(named)
}

function sized(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}
