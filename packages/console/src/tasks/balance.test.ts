import { expect, it } from 'vitest'
import { addPaceSample, balanceOf, type PaceSample, paceOf, restOf } from './balance.ts'

const progress = { present: 42, moved: 30, failed: 1, kept: 2 }

it('what was not looked at is still there, so that the sum is what was present', () => {
  expect(balanceOf({ progress })).toEqual({ ...progress, stillThere: 9 })
})

it.each([
  ['no limit', null, 9],
  ['a limit that is nearly reached', 34, 4],
  ['a limit beyond what is there', 500, 9],
  ['a limit that is reached', 30, 0],
])('what will be moved yet is no more than is there, and than may be: %s', (_, limit, rest) => {
  expect(restOf({ progress, limit })).toBe(rest)
})

it('a pace is told after two seconds, and is that of the last ten', () => {
  const watch = (...moved: readonly number[]) =>
    moved.reduce<readonly PaceSample[]>(
      (samples, count, second) => addPaceSample(samples, { atMs: second * 1_000, moved: count }),
      [],
    )

  expect(paceOf(watch())).toBeUndefined()
  expect(paceOf(watch(5, 10))).toBeUndefined()
  expect(paceOf(watch(5, 10, 15))).toBe(5)
  // Twenty were tried first, then it waited; now it goes.
  expect(
    paceOf(watch(0, ...Array(20).fill(20), ...Array.from({ length: 10 }, (_, at) => 120 + at * 100))),
  ).toBe(100)
  expect(paceOf(watch(...Array(30).fill(20)))).toBe(0)
})
