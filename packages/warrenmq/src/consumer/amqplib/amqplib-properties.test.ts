import { describe, expect, it } from 'vitest'
import { headerInteger, headerValue } from '../../message/header-values.ts'
import { stripBrokerHeaders } from '../../message/strip-broker-headers.ts'
import { editProperties, readProperty } from '../../wire/properties.ts'
import { readAmqplibProperties, writeAmqplibProperties } from './amqplib-properties.ts'

/** As amqplib decodes what other clients wrote. */
const headers = {
  text: 'x',
  whole: 7,
  large: 2 ** 60,
  part: 1.5,
  yes: true,
  none: null,
  bytes: Buffer.from([1, 2]),
  list: [1, 'two', { three: 3 }],
  table: { inner: { deeper: 1 } },
  at: { '!': 'timestamp', value: 1_700_000_000 },
  price: { '!': 'decimal', value: { places: 2, digits: 1999 } },
}

describe('properties of amqplib', () => {
  it('are read as they stand on the wire', () => {
    const raw = readAmqplibProperties({
      headers,
      messageId: 'm1',
      timestamp: 5,
      priority: 3,
      contentType: undefined,
    })
    const encoded = readProperty(raw, 'headers')

    expect(headerInteger(encoded, 'whole')).toBe(7)
    expect(headerValue(encoded, 'at')).toMatchObject({ type: 'T', value: 1_700_000_000n })
    expect(headerValue(encoded, 'price')).toMatchObject({ type: 'D', value: { scale: 2, unscaled: 1999 } })
    expect(readProperty(raw, 'timestamp')).toBe(5n)
    expect(readProperty(raw, 'messageId')).toBe('m1')
    expect(readProperty(raw, 'contentType')).toBeUndefined()
  })

  it('go out as they came in, persistent and mandatory, with what was edited in its own type', () => {
    const properties = { headers, messageId: 'm1', timestamp: 5, deliveryMode: 1 }
    const edited = editProperties(readAmqplibProperties(properties), {
      headers: {
        remove: (name) => name === 'text',
        set: [{ name: 'warren-attempts', value: { type: 'I', value: 2 } }],
      },
    })
    const options = writeAmqplibProperties(edited, properties)

    const { text: _, ...kept } = headers
    expect(options).toEqual({
      messageId: 'm1',
      timestamp: 5,
      persistent: true,
      mandatory: true,
      headers: { ...kept, 'warren-attempts': { '!': 'int32', value: 2 } },
    })
  })

  it('keep what the broker wrote in one header, in the types that the broker gave it', () => {
    const death = { queue: 'orders', reason: 'rejected', count: 2, time: { '!': 'timestamp', value: 9 } }
    const properties = { headers: { 'x-death': [death] } }
    const raw = readAmqplibProperties(properties)
    const options = writeAmqplibProperties(editProperties(raw, stripBrokerHeaders(raw)), properties)

    expect(options).toMatchObject({
      headers: {
        'warren-stripped': { 'x-death': [{ queue: 'orders', time: { '!': 'timestamp', value: 9n } }] },
      },
    })
    expect(options).not.toHaveProperty('headers.x-death')
  })

  it('keep a header that cannot be read here', () => {
    const strange = { '!': 'int8', value: 4 }
    const properties = { headers: { strange, whole: 7 } }

    expect(headerInteger(readProperty(readAmqplibProperties(properties), 'headers'), 'whole')).toBe(7)
    expect(writeAmqplibProperties(readAmqplibProperties(properties), properties)).toMatchObject({
      headers: { strange, whole: 7 },
    })
  })
})
