import { expect, it } from 'vitest'
import type { Delivery } from '../../broker/amqp/delivery.ts'
import type { Clock } from '../../clock.ts'
import { createOversizedHold } from './oversized-hold.ts'

function setup() {
  let nowMs = 0
  const due = new Map<() => void, number>()
  const clock: Clock = {
    now: () => nowMs,
    schedule: (delayMs, run) => {
      due.set(run, nowMs + delayMs)
      return () => void due.delete(run)
    },
  }
  const pass = (ms: number) => {
    nowMs += ms
    for (const [run, atMs] of due) if (atMs <= nowMs && due.delete(run)) run()
  }
  const returned: unknown[] = []
  const delivery = { nack: (how: unknown) => returned.push(how) } as unknown as Delivery
  return { hold: createOversizedHold({ clock, longestHoldMs: 1_000 }), pass, returned, delivery, due }
}

it('gives back what is held before the broker would close the channel over it', () => {
  const { hold, pass, returned, delivery } = setup()
  hold.take(delivery)
  pass(999)
  expect(returned).toEqual([])
  pass(1)
  expect(returned).toEqual([{ requeue: true }])
})

it('leaves no timer behind when the channel is gone', () => {
  const { hold, pass, returned, delivery, due } = setup()
  hold.take(delivery)
  hold.forget()
  pass(2_000)
  expect([returned, due.size]).toEqual([[], 0])
})
