import { expect, it } from 'vitest'
import { createVirtualClock } from '../../embedded/model/virtual-clock.ts'
import type { Standing } from '../decide/decide-standing.ts'
import type { Run } from './run.ts'
import { createSuspects } from './suspects.ts'

function setup() {
  const clock = createVirtualClock(0)
  let goneOn = 0
  const suspects = createSuspects({
    clock,
    mayGoOn: () => {
      goneOn += 1
    },
  })
  const add = (name: string, standing: Standing) =>
    suspects.add({ orderKey: name, standing } as Partial<Run> as Run)
  const toMark = () => suspects.takeToMark()?.orderKey
  return { clock, suspects, add, toMark, goneOn: () => goneOn }
}

const suspect = (runsAlone: number): Standing => ({ kind: 'suspect', runsAlone })

it('suspects are marked one at a time, those that were run alone least often first', () => {
  const { add, toMark, suspects } = setup()
  add('often', suspect(3))
  add('first', suspect(0))
  add('second', suspect(0))

  expect([toMark(), toMark()]).toEqual(['first', undefined])
  suspects.left(true)
  expect(toMark()).toBeUndefined()

  add('first', { kind: 'alone' })
  expect([suspects.firstAlone()?.orderKey, toMark()]).toEqual(['first', undefined])
  suspects.takeAlone()
  expect(toMark()).toBe('second')
  suspects.left(false)
  expect(toMark()).toBe('often')
})

it('a marked copy that goes to another consumer is waited for no longer than a second', () => {
  const { add, toMark, suspects, clock, goneOn } = setup()
  add('first', suspect(0))
  add('second', suspect(0))
  toMark()
  suspects.left(true)

  while (clock.step(1_000));
  expect(goneOn()).toBe(1)
  expect(toMark()).toBe('second')
})

it('suspects whose channel is gone are taken out, marked or not', () => {
  const { add, suspects } = setup()
  add('one', suspect(0))
  add('two', { kind: 'alone' })
  expect(suspects.size()).toBe(2)
  expect(suspects.removeWaiting(() => true).map(({ orderKey }) => orderKey)).toEqual(['two', 'one'])
  expect([suspects.size(), suspects.firstAlone()]).toEqual([0, undefined])
})
