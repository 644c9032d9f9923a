import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amqplibDefinitions } from '../../../../test/fixtures/amqplib-definitions.ts'
import { anyBytes } from '../../../../test/support/arbitrary/bytes.ts'
import { anyFieldTable, anyFieldValue } from '../../../../test/support/arbitrary/fields.ts'
import {
  anyProperties,
  anyPropertySetting,
  propertyNames,
} from '../../../../test/support/arbitrary/properties.ts'
import { readHeader } from '../../../../test/support/read-header.ts'
import { decodeTable } from './decode-table.ts'
import { headerNames } from './edit-table.ts'
import { encodeTable } from './encode-table.ts'
import type { FieldTable } from './field-value.ts'
import { toFieldTable, toPlainTable } from './plain-fields.ts'
import {
  decodeProperties,
  editProperties,
  encodeProperties,
  noProperties,
  type PropertiesInput,
  type PropertyName,
  readProperty,
} from './properties.ts'

const runs = { numRuns: 500 }
/** The order of the wire, said once more than in the code: it is what both sides must agree on. */
const orderOfTheWire = [
  ['contentType', 0x8000],
  ['contentEncoding', 0x4000],
  ['headers', 0x2000],
  ['deliveryMode', 0x1000],
  ['priority', 0x0800],
  ['correlationId', 0x0400],
  ['replyTo', 0x0200],
  ['expiration', 0x0100],
  ['messageId', 0x0080],
  ['timestamp', 0x0040],
  ['type', 0x0020],
  ['userId', 0x0010],
  ['appId', 0x0008],
  ['clusterId', 0x0004],
] as const satisfies readonly (readonly [PropertyName, number])[]

describe('properties', () => {
  it('show every value that was written, the headers as their bytes', () => {
    fc.assert(
      fc.property(anyProperties, (input) => {
        const { headers, ...others } = input

        const decoded = decodeProperties(encodeProperties(input))

        expect(decoded).toEqual(headers ? { ...others, headers: encodeTable(headers as FieldTable) } : others)
      }),
      runs,
    )
  })

  it('are the same bytes after decode and encode, whatever they hold', () => {
    fc.assert(
      fc.property(anyProperties, (input) => {
        const raw = encodeProperties(input)

        expect(encodeProperties(decodeProperties(raw)).equals(raw)).toBe(true)
      }),
      runs,
    )
  })

  it('keep texts that are not UTF-8 byte for byte', () => {
    fc.assert(
      fc.property(anyBytes(255), (messageId) => {
        const raw = Buffer.concat([Buffer.from([0x00, 0x80, messageId.length]), messageId])

        expect(encodeProperties(decodeProperties(raw)).equals(raw)).toBe(true)
      }),
      runs,
    )
  })

  it('give one property without the others, and nothing for one that is not set', () => {
    fc.assert(
      fc.property(anyProperties, (input) => {
        const raw = encodeProperties(input)
        const decoded = decodeProperties(raw)

        for (const name of propertyNames) expect(readProperty(raw, name)).toEqual(decoded[name])
      }),
      runs,
    )
  })

  it('give one header by its name, the first where a name stands twice', () => {
    fc.assert(
      fc.property(anyFieldTable, anyFieldTable, fc.nat(), (some, more, pick) => {
        const table = [...some, ...more, ...some]
        const raw = encodeProperties({ headers: table })
        const wanted = table[pick % table.length]?.name ?? 'absent'

        const expected = decodeTable(encodeTable(table)).find(({ name }) => name === wanted)?.value

        expect(readHeader(raw, wanted)).toEqual(expected)
        expect(readHeader(noProperties, wanted)).toBeUndefined()
      }),
      runs,
    )
  })

  it.each(orderOfTheWire)('have %s at its flag', (name, flag) => {
    fc.assert(
      fc.property(anyProperties, (input) => {
        const isSet = (encodeProperties(input).readUInt16BE(0) & flag) !== 0

        expect(isSet).toBe(input[name] !== undefined)
      }),
    )
  })
})

describe('editing properties', () => {
  it('changes the property that is set and leaves all others byte-identical', () => {
    fc.assert(
      fc.property(anyProperties, anyPropertySetting, (input, set) => {
        const edited = editProperties(encodeProperties(input), { set })

        expect(edited.equals(encodeProperties({ ...input, ...set }))).toBe(true)
      }),
      runs,
    )
  })

  it('removes the properties that are named and leaves all others byte-identical', () => {
    fc.assert(
      fc.property(anyProperties, fc.subarray([...propertyNames]), (input, remove) => {
        const edited = editProperties(encodeProperties(input), { remove })

        const kept = Object.entries(input).filter(([name]) => !remove.includes(name as PropertyName))
        expect(edited.equals(encodeProperties(Object.fromEntries(kept)))).toBe(true)
      }),
      runs,
    )
  })

  it('adds a header behind the others, whether or not there were any', () => {
    fc.assert(
      fc.property(anyProperties, anyFieldValue, (input, value) => {
        const added = { name: 'warren-attempt', value }
        const before = (input.headers ?? []) as FieldTable

        const edited = editProperties(encodeProperties(input), { headers: { set: [added] } })

        expect(edited.equals(encodeProperties({ ...input, headers: [...before, added] }))).toBe(true)
      }),
      runs,
    )
  })

  it('removes headers by name and leaves the other bytes, also those of broken text', () => {
    const table = Buffer.concat([
      encodeTable([{ name: 'x-death', value: { type: 'A', value: [] } }]),
      Buffer.from([1, 0xff, 0x74, 7]), // a name that is no text and a boolean that is neither 0 nor 1
      encodeTable([{ name: 'x-first-death-queue', value: { type: 'S', value: 'orders' } }]),
    ])

    const raw = encodeProperties({ headers: table, messageId: '1' })
    const edited = editProperties(raw, { headers: { remove: (name) => name.startsWith('x-') } })

    expect(readProperty(edited, 'headers')).toEqual(Buffer.from([1, 0xff, 0x74, 7]))
    expect(readProperty(edited, 'messageId')).toBe('1')
    expect(headerNames(table)).toEqual(decodeTable(table).map(({ name }) => name))
  })

  it('with an empty edit changes nothing, and does not add an empty table', () => {
    fc.assert(
      fc.property(anyProperties, (input) => {
        const raw = encodeProperties(input)

        expect(editProperties(raw, {}).equals(raw)).toBe(true)
        expect(editProperties(raw, { headers: { set: [], remove: () => false } }).equals(raw)).toBe(true)
      }),
      runs,
    )
  })
})

describe("properties, against amqplib's", () => {
  it('are read as they write them, and read by them as they are written', () => {
    fc.assert(
      fc.property(anySharedProperties, ({ headers, ...others }) => {
        const theirs = headers ? { ...others, headers } : others
        const ours = ourPropertiesOf(theirs)

        const frame = amqplibDefinitions.encodeProperties(60, 1, 0, theirs)
        const theirBytes = frame.subarray(7 + 12, -1)
        expect(theirPropertiesOf(theirBytes)).toEqual(theirs)

        expect(encodeProperties(ours).equals(theirBytes)).toBe(true)
        expect(definedOf(amqplibDefinitions.decode(60, encodeProperties(ours)))).toEqual(theirs)
      }),
      runs,
    )
  })
})

describe('raw properties', () => {
  it('are refused at every length but their own', () => {
    fc.assert(
      fc.property(anyProperties, fc.nat(), (input, cut) => {
        const raw = encodeProperties(input)
        const shorter = raw.subarray(0, cut % raw.length)
        const longer = Buffer.concat([raw, Buffer.from([0])])

        expect(() => decodeProperties(shorter)).toThrowError(
          expect.objectContaining({ code: 'WIRE_TRUNCATED', offset: expect.any(Number) }),
        )
        expect(() => decodeProperties(longer)).toThrowError(
          expect.objectContaining({ code: 'WIRE_TRAILING_BYTES', offset: raw.length }),
        )
      }),
      runs,
    )
  })

  it.each([
    ['WIRE_BAD_VALUE', 'a flag of no property', [0, 2]],
    ['WIRE_BAD_VALUE', 'flags that go on in a further word', [0, 1, 0, 0]],
    ['WIRE_TRUNCATED', 'a header table that ends behind them', [0x20, 0, 0xff, 0xff, 0xff, 0xff]],
    ['WIRE_TRUNCATED', 'a text that ends behind them', [0x80, 0, 5, 0x61]],
  ])('are refused as %s with %s', (code, _, bytes) => {
    const raw = Buffer.from(bytes)

    expect(() => decodeProperties(raw)).toThrowError(expect.objectContaining({ code }))
    expect(() => editProperties(raw, {})).toThrowError(expect.objectContaining({ code }))
  })

  it.each<[string, PropertiesInput, RegExp]>([
    ['a text too long', { messageId: 'é'.repeat(128) }, /messageId has 256 bytes/],
    ['a priority too large', { priority: 256 }, /priority is 256/],
    ['half a delivery mode', { deliveryMode: 1.5 }, /deliveryMode is 1.5/],
    ['a time before 1970', { timestamp: -1n }, /timestamp is -1/],
  ])('are not written with %s, and the error says which', (_, input, message) => {
    expect(() => encodeProperties(input)).toThrowError(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(message) }),
    )
  })
})

/** Values that amqplib neither widens nor narrows, so that both sides must show the same. */
const sharedText = fc.string({ unit: 'grapheme', maxLength: 20 })
const anySharedProperties = fc.record(
  {
    contentType: sharedText,
    contentEncoding: sharedText,
    headers: fc.dictionary(
      sharedText.filter((name) => name !== '__proto__'),
      fc.oneof(fc.string({ unit: 'grapheme' }), fc.boolean(), fc.constant(null), fc.integer({ min: 70_000 })),
      { maxKeys: 5, noNullPrototype: true },
    ),
    deliveryMode: fc.integer({ min: 0, max: 255 }),
    priority: fc.integer({ min: 0, max: 255 }),
    correlationId: sharedText,
    replyTo: sharedText,
    expiration: sharedText,
    messageId: sharedText,
    timestamp: fc.integer({ min: 0 }),
    type: sharedText,
    userId: sharedText,
    appId: sharedText,
    clusterId: sharedText,
  },
  { requiredKeys: [] },
)

type SharedProperties = Readonly<Record<string, unknown>> & {
  readonly headers?: Record<string, string | number | boolean | null>
  readonly timestamp?: number
}

function ourPropertiesOf({ headers, timestamp, ...others }: SharedProperties): PropertiesInput {
  return {
    ...others,
    headers: headers && toFieldTable(headers),
    timestamp: timestamp === undefined ? undefined : BigInt(timestamp),
  }
}

function theirPropertiesOf(raw: Buffer): Record<string, unknown> {
  const { headers, timestamp, ...others } = decodeProperties(raw)
  return definedOf({
    ...others,
    headers: headers && toPlainTable(decodeTable(headers)),
    timestamp: timestamp === undefined ? undefined : Number(timestamp),
  })
}

function definedOf(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
