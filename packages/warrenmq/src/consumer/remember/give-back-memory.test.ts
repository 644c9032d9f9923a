import { expect, it } from 'vitest'
import { toFieldTable } from '../../wire/plain-fields.ts'
import { encodeProperties } from '../../wire/properties.ts'
import { createGiveBackMemory } from './give-back-memory.ts'
import type { Rememberable } from './lost-ack-memory.ts'

function delivered(messageId: string | undefined, deliveryCount: number): Rememberable {
  const headers = toFieldTable({ 'x-delivery-count': deliveryCount })
  const properties = encodeProperties({ ...(messageId !== undefined && { messageId }), headers })
  return { properties, body: [Buffer.from('x')], bodyBytes: 1, exchange: '', routingKey: 'work' }
}

it('what was given back is counted over its deliveries, until it is settled otherwise', () => {
  const memory = createGiveBackMemory()
  memory.gaveBack(delivered('m1', 0))
  memory.gaveBack(delivered('m1', 1))

  expect(memory.take(delivered('m1', 2))).toEqual({ times: 2, isLast: true })
  expect(memory.take(delivered('m1', 3))).toEqual({ times: 2, isLast: false })
  memory.forget(delivered('m1', 3))
  expect(memory.take(delivered('m1', 3))).toBeUndefined()
})

it('of others, and of messages without an id, nothing is known', () => {
  const memory = createGiveBackMemory()
  memory.gaveBack(delivered('m1', 0))
  memory.gaveBack(delivered(undefined, 0))

  expect(memory.take(delivered('m2', 1))).toBeUndefined()
  expect(memory.take(delivered(undefined, 1))).toBeUndefined()
})
