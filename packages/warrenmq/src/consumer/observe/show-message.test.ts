import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Delivery } from '../../broker/amqp/delivery.ts'
import { toFieldTable } from '../../wire/plain-fields.ts'
import { encodeProperties } from '../../wire/properties.ts'
import { createDecoder } from '../run/decoder.ts'
import { DeliveredMessage } from '../run/delivered-message.ts'

function message(body: Buffer, properties: Parameters<typeof encodeProperties>[0] = {}): DeliveredMessage {
  const delivery = { exchange: 'shop', routingKey: 'order.paid', isRedelivered: false }
  const bytes = { body: [body], properties: encodeProperties(properties) }
  return new DeliveredMessage({ ...delivery, ...bytes } as unknown as Delivery, createDecoder('work'))
}

const properties = {
  messageId: 'm1',
  contentType: 'application/json',
  headers: toFieldTable({ tenant: 'acme', number: 9_007_199_254_740_993n }),
}

describe('a message that is printed', () => {
  it('shows its properties and its body', () => {
    const printed = inspect(message(Buffer.from('{"amount":-5}'), properties))

    expect(printed).toMatch(/^DeliveredMessage \{/)
    for (const part of ["id: 'm1'", "routingKey: 'order.paid'", "tenant: 'acme'", 'body: { amount: -5 }'])
      expect(printed).toContain(part)
    expect(printed).not.toContain('undefined')
  })

  it('is the same as JSON, where large numbers are texts', () => {
    expect(JSON.parse(JSON.stringify(message(Buffer.from('{"amount":-5}'), properties)))).toEqual({
      id: 'm1',
      exchange: 'shop',
      routingKey: 'order.paid',
      isRedelivered: false,
      contentType: 'application/json',
      headers: { tenant: 'acme', number: '9007199254740993' },
      body: { amount: -5 },
    })
  })

  it.each([
    ['large', message(Buffer.alloc(5_000, 'a'), { contentType: 'text/plain' }), '5000 bytes'],
    ['broken', message(Buffer.from('{'), properties), '1 bytes that cannot be decoded: '],
    ['bytes', message(Buffer.from([1, 255])), '2 bytes: 01ff'],
    [
      'packed',
      message(gzipSync(Buffer.alloc(1_000_000, 'a')), { contentType: 'text/plain', contentEncoding: 'gzip' }),
      ' bytes, packed',
    ],
  ])('whose body is %s says so, and stays short', (_, given, expected) => {
    expect(inspect(given)).toContain(expected)
    expect((given.toJSON() as { body: string }).body).toContain(expected)
    expect(inspect(given).length).toBeLessThan(500)
  })

  it('through a schema shows what the schema made of its body', () => {
    const proxied = new Proxy(message(Buffer.from('{}'), properties), {
      get: (target, name) => (name === 'body' ? 'made' : Reflect.get(target, name, target)),
    })

    expect(inspect(proxied)).toContain("body: 'made'")
    expect(JSON.stringify(proxied)).toContain('"body":"made"')
  })
})
