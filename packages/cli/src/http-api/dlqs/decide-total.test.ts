import { describe, expect, it } from 'vitest'
import { decideTotal } from './decide-total.ts'

describe('all messages of a queue', () => {
  it.each([
    ['it was just deleted', null, { ready: 9, unacknowledged: 0 }, null],
    ['nothing holds any', { messageCount: 7, consumerCount: 0 }, { ready: 9, unacknowledged: 0 }, 7],
    ['a look has just begun', { messageCount: 0, consumerCount: 1 }, { ready: 9, unacknowledged: 0 }, 9],
    ['a look holds some', { messageCount: 2, consumerCount: 1 }, { ready: 3, unacknowledged: 6 }, 9],
    ['a look has just ended', { messageCount: 9, consumerCount: 0 }, { ready: 0, unacknowledged: 9 }, 9],
    ['more came in since', { messageCount: 12, consumerCount: 1 }, { ready: 9, unacknowledged: 0 }, 12],
    ['RabbitMQ does not say', { messageCount: 7, consumerCount: 1 }, undefined, 7],
  ])('are known when %s', (_, now, counted, total) => {
    expect(decideTotal(now, counted)).toBe(total)
  })
})
