import { expect, it } from 'vitest'
import type { Clock } from 'warrenmq/operations'
import { createRequestSlots } from './request-slots.ts'

function setup(most: number) {
  let nowMs = 1_000
  const clock: Clock = { now: () => nowMs, schedule: () => () => {} }
  const slots = createRequestSlots(most, clock)
  return { slots, pass: (ms: number) => (nowMs += ms) }
}

const ann = { name: 'ann', most: 2 }

it('there are as many slots as was said, and one that comes back can be taken again', () => {
  const { slots } = setup(2)
  const first = slots.take([])
  slots.take([])

  expect(slots.take([])).toBeUndefined()
  first?.giveBack()
  expect(slots.take([])).toBeDefined()
})

it('a slot comes back once, however often that is told', () => {
  const { slots } = setup(3)
  const slot = slots.take([ann])
  slots.take([ann])

  slot?.giveBack()
  slot?.giveBack()

  expect(slots.taken).toBe(1)
  expect(slots.take([ann])).toBeDefined()
  expect(slots.take([ann])).toBeUndefined()
})

it('nobody has more than their share, whether it was known at once or later who asks', () => {
  const { slots } = setup(10)
  slots.take([ann])
  const later = slots.take([])
  const late = slots.take([])

  expect([later?.holdFor(ann), late?.holdFor(ann)]).toEqual([true, false])
  expect(slots.take([ann])).toBeUndefined()
  later?.giveBack()
  expect(slots.take([ann])).toBeDefined()
  expect(slots.take([{ name: 'bob', most: 2 }])).toBeDefined()
})

it('a slot that has come back counts as nobody’s', () => {
  const { slots } = setup(10)
  const slot = slots.take([])
  slot?.giveBack()

  slot?.holdFor(ann)

  expect([slots.take([ann]), slots.take([ann])]).not.toContain(undefined)
})

it('it is stuck where all are taken and none comes back, and not where they come and go', () => {
  const { slots, pass } = setup(2)
  const first = slots.take([])
  slots.take([])
  pass(4_000)
  first?.giveBack()
  slots.take([])
  pass(4_000)

  expect(slots.isStuck).toBe(false)
  pass(1_000)
  expect(slots.isStuck).toBe(true)
})

it('all is idle when the last slot has come back, or when that takes too long', async () => {
  const { slots } = setup(2)
  const slot = slots.take([])
  const idle = slots.whenIdle(60_000)
  slot?.giveBack()
  await idle

  slots.take([])
  await slots.whenIdle(1)

  expect(slots.taken).toBe(1)
})
