import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDeadline } from './queue/deadline.ts'
import { createVirtualClock } from './virtual-clock.ts'

test('tasks run in the order of their time, and of their planning where that is the same', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 }), { maxLength: 50 }), (delays) => {
      const clock = createVirtualClock(0)
      const ran: { at: number; order: number }[] = []
      for (const [order, delay] of delays.entries()) {
        clock.schedule(delay, () => ran.push({ at: clock.now(), order }))
      }

      while (clock.step(100));

      const wanted = delays
        .map((at, order) => ({ at, order }))
        .sort((a, b) => a.at - b.at || a.order - b.order)
      expect(ran).toEqual(wanted)
      expect(clock.now()).toBe(100)
    }),
  )
})

test('a task that was called off does not run, and one that is planned for now runs in the same step', () => {
  const clock = createVirtualClock(0)
  const ran: string[] = []
  const callOff = clock.schedule(5, () => ran.push('never'))
  clock.schedule(5, () => clock.schedule(0, () => ran.push('follower')))
  callOff()

  const hasStepped = clock.step(10)

  expect(hasStepped).toBe(true)
  expect(clock.now()).toBe(5)
  expect(ran).toEqual(['follower'])
})

test('a deadline beyond the longest timer is reached at its time and not before', () => {
  const clock = createVirtualClock(0)
  const reached: number[] = []
  const deadline = createDeadline(clock, () => reached.push(clock.now()))
  const farMs = 2 ** 31 * 3

  deadline.moveTo(farMs)
  while (clock.step(farMs));

  expect(reached).toEqual([farMs])
})

test('a deadline that is moved is reached once, at the last place it was moved to', () => {
  const clock = createVirtualClock(0)
  const reached: number[] = []
  const deadline = createDeadline(clock, () => reached.push(clock.now()))
  deadline.moveTo(10)
  deadline.moveTo(30)
  deadline.moveTo(20)

  while (clock.step(100));

  expect(reached).toEqual([20])
})
