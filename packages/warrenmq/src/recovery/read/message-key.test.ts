import { describe, expect, it } from 'vitest'
import { type PlainTable, toFieldTable } from '../../wire/plain-fields.ts'
import { encodeProperties } from '../../wire/properties.ts'
import { messageKey } from './message-key.ts'

function keyWith(headers: PlainTable | undefined, body = 'a body'): string {
  const properties = encodeProperties({ messageId: 'm-1', headers: headers && toFieldTable(headers) })
  return messageKey({ exchange: '', routingKey: 'a.dlq', properties, body: Buffer.from(body), bodyBytes: 6 })
}

describe('the key of a message', () => {
  it('stays the same when a queue sorts its headers and counts its deliveries among them', () => {
    const first = keyWith({ tenant: 'acme', big: 2n ** 60n, nested: { z: 1, a: 2 } })
    const later = keyWith({
      big: 2n ** 60n,
      nested: { z: 1, a: 2 },
      tenant: 'acme',
      'x-acquired-count': 2,
      'x-delivery-count': 1,
    })

    expect(later).toBe(first)
  })

  it('stays the same when the count is the first header that a message has', () => {
    expect(keyWith({ 'x-delivery-count': 1 })).toBe(keyWith(undefined))
  })

  it.each([
    ['a header of another value', keyWith({ tenant: 'umbrella' })],
    ['a header of another type', keyWith({ tenant: 7 })],
    ['one header more', keyWith({ tenant: 'acme', added: 'acme' })],
    ['other headers with the same values', keyWith({ owner: 'acme' })],
    ['another body', keyWith({ tenant: 'acme' }, 'other')],
  ])('is another one with %s', (_, key) => {
    expect(key).not.toBe(keyWith({ tenant: 'acme' }))
  })
})
