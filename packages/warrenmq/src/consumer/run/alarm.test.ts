import { expect, it } from 'vitest'
import { createVirtualClock } from '../../embedded/model/virtual-clock.ts'
import { createAlarm } from './alarm.ts'

function setup() {
  const clock = createVirtualClock(0)
  const rings: number[] = []
  const alarm = createAlarm(clock, (nowMs) => rings.push(nowMs))
  const advance = (untilMs: number) => {
    while (clock.step(untilMs));
  }
  return { alarm, rings, clock, advance }
}

it('rings once, at the earliest of the times it was set to', () => {
  const { alarm, rings, advance } = setup()
  for (const dueMs of [50, 20, 80]) alarm.setBy(dueMs)

  advance(100)

  expect(rings).toEqual([20])
})

it('rings again when it is set again, also from within', () => {
  const clock = createVirtualClock(0)
  const rings: number[] = []
  const alarm = createAlarm(clock, (nowMs) => {
    rings.push(nowMs)
    if (nowMs < 30) alarm.setBy(nowMs + 10)
  })
  alarm.setBy(10)

  while (clock.step(100));

  expect(rings).toEqual([10, 20, 30])
})

it('that is stopped does not ring and leaves no timer behind', () => {
  const { alarm, rings, clock, advance } = setup()
  alarm.setBy(10)

  alarm.stop()
  advance(100)

  expect({ rings, next: clock.nextDueAt() }).toEqual({ rings: [], next: undefined })
})
