import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PlainTable, toFieldTable, typed } from '../wire/plain-fields.ts'
import { editProperties, encodeProperties, type PropertiesInput } from '../wire/properties.ts'
import { type Digest, messageIdentity } from './message-identity.ts'
import { stripBrokerHeaders } from './strip-broker-headers.ts'

const sha256: Digest = (parts) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

const body = Buffer.from('{"order":42}')
const idOf = (
  properties: Omit<PropertiesInput, 'headers'>,
  headers: PlainTable = {},
  content: Uint8Array = body,
) =>
  messageIdentity(
    { properties: encodeProperties({ ...properties, headers: toFieldTable(headers) }), body: content },
    sha256,
  )

describe('messageIdentity', () => {
  it('is the message id where the publisher gave one', () => {
    expect(idOf({ messageId: 'order-42' })).toEqual({ id: 'order-42', source: 'message-id' })
  })

  it('is a digest where there is none, or an empty one', () => {
    expect(idOf({}).source).toBe('digest')
    expect(idOf({ messageId: '' })).toEqual(idOf({}))
  })

  it.each<[string, ReturnType<typeof idOf>]>([
    ['body', idOf({}, {}, Buffer.from('{"order":43}'))],
    ['content type', idOf({ contentType: 'application/json' })],
    ['correlation id', idOf({ correlationId: 'c-1' })],
    ['timestamp', idOf({ timestamp: 5n })],
    ['type', idOf({ type: 'OrderPlaced' })],
    ['header', idOf({}, { tenant: 'blue' })],
  ])('differs with the %s', (_, other) => {
    expect(other.id).not.toBe(idOf({}).id)
  })

  it('stays the same through deaths, retries and re-drives', () => {
    const before = idOf({ type: 'OrderPlaced' }, { tenant: 'blue' })

    const after = idOf(
      { type: 'OrderPlaced', deliveryMode: 2, expiration: '5000', userId: 'guest', priority: 3 },
      {
        'x-death': [{ queue: 'q' }],
        'x-retry-count': 3,
        'x-redriven-at': 'now',
        'warren-cause': 'abc',
        CC: ['copy'],
        tenant: 'blue',
      },
    )

    expect(after).toEqual(before)
  })

  it('stays the same when another tool narrows or reorders headers', () => {
    const before = idOf({}, { a: typed({ type: 'l', value: 5n }), b: 'text' })
    const after = idOf({}, { b: 'text', a: typed({ type: 'I', value: 5 }) })

    expect(after).toEqual(before)
  })

  it('keeps a number, its text and a list of it apart', () => {
    const ids = [{ a: 5 }, { a: '5' }, { a: [5] }, { a: { '0': 5 } }, { a: true }, { a: null }].map(
      (headers) => idOf({}, headers).id,
    )

    expect(new Set(ids).size).toBe(ids.length)
  })

  it('keeps apart bodies and descriptions that are equal only when joined', () => {
    const digestInput = (content: Buffer, type: string) =>
      messageIdentity({ properties: encodeProperties({ type }), body: content }, (parts) =>
        Buffer.concat([...parts]).toString('latin1'),
      ).id

    fc.assert(
      fc.property(
        fc.uint8Array(),
        fc.string({ maxLength: 20 }),
        fc.uint8Array(),
        fc.string({ maxLength: 20 }),
        (a, s, b, t) => {
          const isSame = Buffer.from(a).equals(Buffer.from(b)) && s === t
          expect(digestInput(Buffer.from(a), s) === digestInput(Buffer.from(b), t)).toBe(isSame)
        },
      ),
    )
  })

  it('is not changed by stripping', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ maxLength: 10 }), fc.string({ maxLength: 10 })), (headers) => {
        const raw = encodeProperties({
          expiration: '1',
          headers: toFieldTable({ ...headers, 'x-death': [{ queue: 'q' }] }),
        })
        const stripped = editProperties(raw, stripBrokerHeaders(raw))

        expect(messageIdentity({ properties: stripped, body }, sha256)).toEqual(
          messageIdentity({ properties: raw, body }, sha256),
        )
      }),
    )
  })
})
