import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyFieldValue } from '../../../../../test/support/arbitrary/fields.ts'
import { anyProperties } from '../../../../../test/support/arbitrary/properties.ts'
import { parseBrokerVersion } from '../../message/broker-version.ts'
import { headerInteger } from '../../message/header-values.ts'
import { brokerHeaders, isBrokerHeader, stripBrokerHeaders } from '../../message/strip-broker-headers.ts'
import { warrenHeaders } from '../../message/warren-headers.ts'
import { decodeTable } from '../../wire/decode-table.ts'
import type { FieldEntry } from '../../wire/field-value.ts'
import { type PlainTable, toFieldTable, toPlainTable } from '../../wire/plain-fields.ts'
import {
  decodeProperties,
  editProperties,
  encodeProperties,
  noProperties,
  type PropertiesEdit,
  type PropertiesInput,
  type RawProperties,
  readProperty,
} from '../../wire/properties.ts'
import { keepAddress } from './keep-address.ts'
import { propertiesWriter } from './properties-writer.ts'
import { recoveryHeaders } from './recovery-headers.ts'

const audit = { id: 'r-1', by: 'ada', atMs: 0, reason: 'fixed' }
const version = parseBrokerVersion('4.0.5')
const writer = (attempts: 'reset' | 'continue' = 'reset', login?: string) =>
  propertiesWriter({ audit, attempts, login, version })
const headersOf = (raw: RawProperties) =>
  toPlainTable(decodeTable(decodeProperties(raw).headers ?? Buffer.alloc(0)))
const message = (headers: PlainTable, properties: PropertiesInput = {}) =>
  encodeProperties({ ...properties, headers: toFieldTable(headers) })

/** What is taken off and archived, by decoding and encoding. */
function stripSlowly(raw: RawProperties, login: string | undefined): PropertiesEdit {
  const { headers, expiration, userId } = decodeProperties(raw)
  const table = decodeTable(headers ?? Buffer.alloc(0))
  const isForeign = userId !== undefined && userId !== login
  const taken: FieldEntry[] = [
    ...table.filter(({ name }) => isBrokerHeader(name)),
    ...(expiration === undefined ? [] : [text('expiration', expiration)]),
    ...(isForeign ? [text('user-id', userId)] : []),
  ]
  const older = table.find(({ name }) => name === warrenHeaders.stripped)?.value
  const stays = (older?.type === 'F' ? older.value : []).filter(
    (entry) => !taken.some(({ name }) => name === entry.name),
  )
  return {
    set: { deliveryMode: 2 },
    remove: ['expiration', ...(isForeign ? ['userId' as const] : [])],
    headers: {
      remove: isBrokerHeader,
      set:
        taken.length === 0
          ? []
          : [{ name: warrenHeaders.stripped, value: { type: 'F', value: [...stays, ...taken] } }],
    },
  }
}

const text = (name: string, value: string): FieldEntry => ({ name, value: { type: 'S', value } })

/** The same by the general tools, which decode and encode. */
function writeSlowly(raw: RawProperties, login: string | undefined): RawProperties {
  const strip = stripSlowly(raw, login)
  const before = headerInteger(readProperty(raw, 'headers'), recoveryHeaders.redriveCount) ?? 0
  const dropped: readonly string[] = [
    warrenHeaders.deathsSeen,
    warrenHeaders.attempts,
    warrenHeaders.retryCount,
  ]
  return editProperties(raw, {
    ...strip,
    headers: {
      remove: (name) => dropped.includes(name) || strip.headers!.remove!(name),
      set: [
        ...strip.headers!.set!,
        text(recoveryHeaders.redrivenAt, new Date(audit.atMs).toISOString()),
        text(recoveryHeaders.redrivenBy, audit.by),
        text(recoveryHeaders.redriveId, audit.id),
        text(recoveryHeaders.redriveReason, audit.reason),
        {
          name: recoveryHeaders.redriveCount,
          value: { type: 'I', value: Math.min(before, 0x7ffffffe) + 1 },
        },
        ...decodeTable(keepAddress(readProperty(raw, 'headers') ?? Buffer.alloc(0)).entries),
      ],
    },
  })
}

const known = [
  ...brokerHeaders.names,
  ...brokerHeaders.prefixes.map((prefix) => `${prefix}queue`),
  ...Object.values(warrenHeaders),
  ...Object.values(recoveryHeaders),
]
const anyKnownEntry: fc.Arbitrary<FieldEntry> = fc.record({
  name: fc.constantFrom(...known),
  value: anyFieldValue,
})
const anyArchive: fc.Arbitrary<FieldEntry> = fc
  .array(anyKnownEntry, { maxLength: 3 })
  .map((value) => ({ name: warrenHeaders.stripped, value: { type: 'F', value } }))

describe('the properties of a re-driven message', () => {
  it('are those that the general tools would write, for any message', () => {
    const anyHeaders = fc.array(fc.oneof(anyKnownEntry, anyArchive), { maxLength: 8 })
    fc.assert(
      fc.property(anyProperties, anyHeaders, fc.constantFrom(undefined, 'guest'), (input, extra, login) => {
        const own = Array.isArray(input.headers) ? (input.headers as FieldEntry[]) : []
        const raw = encodeProperties({ ...input, headers: [...own, ...extra] })
        expect(writer('reset', login)(raw, undefined)).toEqual(writeSlowly(raw, login))
      }),
    )
  })

  it('have in their archive what a strip takes off any message', () => {
    const anyHeaders = fc.array(fc.oneof(anyKnownEntry, anyArchive), { maxLength: 8 })
    fc.assert(
      fc.property(anyProperties, anyHeaders, fc.constantFrom(undefined, 'guest'), (input, extra, login) => {
        const own = Array.isArray(input.headers) ? (input.headers as FieldEntry[]) : []
        const raw = encodeProperties({ ...input, headers: [...own, ...extra] })
        const stripped = editProperties(raw, stripBrokerHeaders(raw, { login }))
        expect(stripped).toEqual(editProperties(raw, stripSlowly(raw, login)))
      }),
    )
  })

  it('carry who put it back even when the message had none at all', () => {
    const written = writer()(noProperties, undefined)

    expect(decodeProperties(written).deliveryMode).toBe(2)
    expect(headersOf(written)).toEqual({
      'x-redriven-at': '1970-01-01T00:00:00.000Z',
      'x-redriven-by': 'ada',
      'x-redriven-id': 'r-1',
      'x-redriven-reason': 'fixed',
      'x-redriven-count': 1,
    })
  })

  it('count on from the last re-drive and replace what it wrote', () => {
    const once = writer()(message({ tenant: 'blue' }), undefined)

    const twice = writer()(once, undefined)

    expect(twice.length).toBe(once.length)
    expect(headersOf(twice)).toMatchObject({ tenant: 'blue', 'x-redriven-count': 2 })
  })

  it('do not keep the reason of an earlier re-drive', () => {
    const once = writer()(message({}), undefined)

    const twice = propertiesWriter({
      audit: { ...audit, reason: undefined },
      attempts: 'reset',
      login: undefined,
      version,
    })(once, undefined)

    expect(headersOf(twice)).not.toHaveProperty('x-redriven-reason')
  })

  it('keep the user-id of the login and archive any other', () => {
    const raw = message({}, { userId: 'guest', expiration: '500' })

    expect(decodeProperties(writer('reset', 'guest')(raw, undefined)).userId).toBe('guest')
    const stripped = writer('reset', 'other')(raw, undefined)
    expect(decodeProperties(stripped).userId).toBeUndefined()
    expect(headersOf(stripped)).toMatchObject({
      'warren-stripped': { expiration: '500', 'user-id': 'guest' },
    })
  })

  it('are refused where the bytes do not add up', () => {
    const raw = message({ tenant: 'blue' }, { messageId: 'm' })

    expect(() => writer()(raw.subarray(0, -1), undefined)).toThrow(/ends behind the last byte/)
    expect(() => writer()(Buffer.concat([raw, Buffer.from([0])]), undefined)).toThrow(
      /Bytes follow the last property/,
    )
  })
})
