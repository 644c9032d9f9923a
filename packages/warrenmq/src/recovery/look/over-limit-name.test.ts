import { expect, test } from 'vitest'
import { overLimitName } from './over-limit-name.ts'

test.each([
  ['orders.dlq', 'orders.dlq.over-limit'],
  [`${'ü'.repeat(124)}.dlq`, `${'ü'.repeat(122)}.over-limit`],
])('the queue beside %s has a name that RabbitMQ takes', (queue, expected) => {
  expect(overLimitName(queue)).toBe(expected)
  expect(Buffer.byteLength(overLimitName(queue))).toBeLessThanOrEqual(255)
})
