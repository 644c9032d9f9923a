import { expect, it } from 'vitest'
import type { Role } from '../contract/contract.ts'
import { createRequestSlots } from './request-slots.ts'
import { sharesOf } from './shares-of.ts'

/** As many as get in of so many callers, who all ask for more than they get. */
function takenBy(slots: ReturnType<typeof createRequestSlots>, role: Role, callers: number): number {
  const before = slots.taken
  for (let at = 0; at < 20 * callers; at += 1) {
    const caller = { name: `${role} ${at % callers}`, wayIn: 'token', role } as const
    slots.take(sharesOf(caller, { most: 20, mostOfCaller: 10 }))
  }
  return slots.taken - before
}

it('callers of a role, however many, leave room for the roles above', () => {
  const slots = createRequestSlots(20)

  expect([takenBy(slots, 'viewer', 9), takenBy(slots, 'operator', 9), takenBy(slots, 'admin', 9)]).toEqual([
    ...[12, 4, 4],
  ])
})

it('one caller has no more than their own share', () => {
  expect(takenBy(createRequestSlots(20), 'viewer', 1)).toBe(10)
  expect(takenBy(createRequestSlots(20), 'admin', 1)).toBe(10)
})

it('where there is one place, everybody may have it', () => {
  for (const role of ['viewer', 'operator', 'admin'] as const) {
    const slots = createRequestSlots(1)
    expect(
      slots.take(sharesOf({ name: 'a', wayIn: 'token', role }, { most: 1, mostOfCaller: 1 })),
    ).toBeDefined()
  }
})
