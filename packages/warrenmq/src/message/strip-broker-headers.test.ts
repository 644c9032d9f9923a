import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyFieldTable } from '../../../../test/support/arbitrary/fields.ts'
import { decodeTable } from '../wire/decode-table.ts'
import type { FieldEntry, FieldTable } from '../wire/field-value.ts'
import { type PlainTable, toFieldTable, toPlainTable, typed } from '../wire/plain-fields.ts'
import {
  decodeProperties,
  editProperties,
  encodeProperties,
  noProperties,
  type PropertiesInput,
  type RawProperties,
} from '../wire/properties.ts'
import {
  isBrokerHeader,
  readStripped,
  type StripOptions,
  stripBrokerHeaders,
} from './strip-broker-headers.ts'

const strip = (raw: RawProperties, options?: StripOptions) =>
  editProperties(raw, stripBrokerHeaders(raw, options))
const headersOf = (raw: RawProperties) =>
  toPlainTable(decodeTable(decodeProperties(raw).headers ?? Buffer.alloc(0)))
const message = (headers: PlainTable, properties: PropertiesInput = {}) =>
  encodeProperties({ ...properties, headers: toFieldTable(headers) })

describe('stripBrokerHeaders', () => {
  it('takes off what a broker wrote and archives it', () => {
    const raw = message({
      'x-death': [{ queue: 'q', count: 2n }],
      'x-first-death-queue': 'q',
      'x-last-death-reason': 'rejected',
      'x-delivery-count': 3,
      'x-acquired-count': 4,
      'x-stream-offset': 5n,
      CC: ['copy'],
      BCC: ['blind'],
      tenant: 'blue',
    })

    const stripped = strip(raw)

    expect(headersOf(stripped)).toEqual({
      tenant: 'blue',
      'warren-stripped': {
        'x-death': [{ queue: 'q', count: 2 }],
        'x-first-death-queue': 'q',
        'x-last-death-reason': 'rejected',
        'x-delivery-count': 3,
        'x-acquired-count': 4,
        'x-stream-offset': 5,
        CC: ['copy'],
        BCC: ['blind'],
      },
    })
  })

  it('takes off an expiration and the user-id of another user, and makes the message persistent', () => {
    const raw = message({}, { expiration: '5000', userId: 'publisher', deliveryMode: 1, messageId: 'm-1' })

    const stripped = decodeProperties(strip(raw, { login: 'warren' }))

    expect(stripped).toMatchObject({ messageId: 'm-1', deliveryMode: 2 })
    expect(stripped.expiration).toBeUndefined()
    expect(stripped.userId).toBeUndefined()
    expect(toPlainTable(readStripped(stripped.headers))).toEqual({
      expiration: '5000',
      'user-id': 'publisher',
    })
  })

  it('leaves the user-id of the user who publishes', () => {
    const raw = message({}, { userId: 'warren' })

    const stripped = decodeProperties(strip(raw, { login: 'warren' }))

    expect(stripped.userId).toBe('warren')
    expect(readStripped(stripped.headers)).toEqual([])
  })

  it('leaves a header that is to be kept', () => {
    const raw = message({ 'x-death': [{ queue: 'q' }], CC: ['copy'] })

    const stripped = strip(raw, { keep: ['x-death'] })

    expect(headersOf(stripped)).toEqual({ 'x-death': [{ queue: 'q' }], 'warren-stripped': { CC: ['copy'] } })
  })

  it('adds no archive where there is nothing to archive', () => {
    expect(decodeProperties(strip(noProperties))).toEqual({ deliveryMode: 2 })
  })

  it('keeps the newest of each name in the archive, and what only an older strip took off', () => {
    const once = strip(message({ 'x-delivery-count': 1, CC: ['copy'] }))
    const again = editProperties(once, { headers: { set: toFieldTable({ 'x-delivery-count': 2 }) } })

    const twice = strip(again)

    expect(headersOf(twice)).toEqual({ 'warren-stripped': { CC: ['copy'], 'x-delivery-count': 2 } })
  })

  it('archives the exact AMQP type', () => {
    const raw = message({ 'x-delivery-count': typed({ type: 's', value: 7 }) })

    const archived = readStripped(decodeProperties(strip(raw)).headers)

    expect(archived).toEqual([{ name: 'x-delivery-count', value: { type: 's', value: 7 } }])
  })

  it.each(['x-death-note', 'X-Death', 'cc', 'x-retry-count', 'x-first', 'x-delay', 'traceparent'])(
    'does not take %s for a broker header',
    (name) => {
      expect(isBrokerHeader(name)).toBe(false)
    },
  )

  it('loses no header: what is gone from the message is in the archive, the rest is as it was', () => {
    const brokerEntry = fc.record({
      name: fc.constantFrom('x-death', 'CC', 'x-delivery-count', 'x-last-death-queue'),
      value: fc.constant<FieldEntry['value']>({ type: 'I', value: 1 }),
    })
    const tables = fc.tuple(anyFieldTable, fc.array(brokerEntry)).map(([own, theirs]) => [...own, ...theirs])

    fc.assert(
      fc.property(tables, (table: FieldTable) => {
        const before = decodeTable(decodeProperties(encodeProperties({ headers: table })).headers!)
        const after = decodeTable(decodeProperties(strip(encodeProperties({ headers: table }))).headers!)
        const archive = after.find(({ name }) => name === 'warren-stripped')?.value

        expect(after.filter(({ name }) => name !== 'warren-stripped')).toEqual(
          before.filter(({ name }) => !isBrokerHeader(name) && name !== 'warren-stripped'),
        )
        expect(archive?.type === 'F' ? archive.value : []).toEqual(
          before.filter(({ name }) => isBrokerHeader(name)),
        )
      }),
    )
  })
})
