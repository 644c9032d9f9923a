import { expect, it } from 'vitest'
import { encodeTable } from '../wire/encode-table.ts'
import type { PlainTable } from '../wire/plain-fields.ts'
import { toFieldTable } from '../wire/plain-fields.ts'
import { encodeProperties } from '../wire/properties.ts'
import { messageIdentity } from './message-identity.ts'

interface Change {
  readonly exchange?: string
  readonly routingKey?: string
  readonly type?: string
  readonly headers?: PlainTable
}

function identityOf({ exchange = 'shop', routingKey = 'orders', type = 'A', headers = {} }: Change): Buffer {
  const given = { tenant: 'blue', attempt: 2, ...headers }
  const properties = encodeProperties({ messageId: 'm-1', type, headers: encodeTable(toFieldTable(given)) })
  return Buffer.concat(messageIdentity({ exchange, routingKey, properties }).map((part) => Buffer.from(part)))
}

const message = identityOf({})

it.each<[string, Change]>([
  ['with the count of a quorum queue', { headers: { 'x-delivery-count': 3 } }],
  ['with the count of RabbitMQ 4', { headers: { 'x-acquired-count': 3, 'x-delivery-count': 2 } }],
])('a message that is delivered again %s is the same', (_, change) => {
  expect(identityOf(change)).toEqual(message)
})

it('a message whose headers the broker has sorted is the same', () => {
  const headers = (names: readonly string[]) =>
    toFieldTable(Object.fromEntries(names.map((name) => [name, 1])))
  const inOrder = (names: readonly string[]) => {
    const properties = encodeProperties({ headers: encodeTable(headers(names)) })
    return messageIdentity({ exchange: '', routingKey: 'orders', properties })
  }

  expect(inOrder(['b', 'a', 'c'])).toEqual(inOrder(['a', 'b', 'c']))
})

it.each<[string, Change]>([
  ['exchange', { exchange: 'other' }],
  ['routing key', { routingKey: 'other' }],
  ['property', { type: 'B' }],
  ['header', { headers: { tenant: 'red' } }],
  ['count of attempts', { headers: { attempt: 3 } }],
  ['history of deaths', { headers: { 'x-death': 'rejected' } }],
])('a message with another %s is another one', (_, change) => {
  expect(identityOf(change)).not.toEqual(message)
})

it('no part of the address can pass for another', () => {
  expect(identityOf({ exchange: 'a', routingKey: 'b.c' })).not.toEqual(
    identityOf({ exchange: 'a.b', routingKey: 'c' }),
  )
})
