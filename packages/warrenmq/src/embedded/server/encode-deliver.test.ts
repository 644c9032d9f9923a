import { expect, test } from 'vitest'
import { encodeMethod } from '../../wire/methods.ts'
import { readShortText } from '../../wire/short-text.ts'
import { encodeDeliver } from './encode-deliver.ts'

const noText = readShortText(Buffer.from([0xff, 0x2e, 0xc3]), 0, 3)

test.each([
  ['of plain text', 'orders.new'],
  ['beyond ASCII', 'größe.\u{1f407}'],
  ['that is no text', noText],
  ['of the greatest length', 'é'.repeat(127)],
])('a delivery with names and a key %s is written like any other method', (_, text) => {
  const fields = { consumerTag: text, deliveryTag: 2 ** 40 + 7, exchange: text, routingKey: text }

  const payload = encodeDeliver({ ...fields, isRedelivered: true })

  expect(payload).toEqual(encodeMethod({ name: 'basic.deliver', ...fields, redelivered: true }))
})
