import { expect, it } from 'vitest'
import { createViewerChanges } from './viewer-changes.ts'

function setup() {
  let nowMs = 5_000
  const changes = createViewerChanges({ now: () => nowMs, schedule: () => () => {} })
  const vic = { name: 'vic', wayIn: 'broker-account', role: 'viewer' } as const
  /** How many of so many are taken, at 10 a minute. */
  const ask = (count: number, caller: Parameters<typeof changes.count>[0] = vic): number => {
    let taken = 0
    for (let at = 0; at < count; at += 1)
      try {
        changes.count(caller, 10)
        taken += 1
      } catch (error) {
        expect(error).toMatchObject({ code: 'API_TOO_MANY_ATTEMPTS', retryAfterSeconds: 6 })
      }
    return taken
  }
  const pass = (seconds: number): void => {
    nowMs += seconds * 1_000
  }
  return { vic, ask, pass }
}

it('a viewer has a minute’s share at once, and then one whenever its time has come', () => {
  const { ask, pass } = setup()

  expect(ask(30)).toBe(10)
  pass(6)
  expect(ask(30)).toBe(1)
  pass(18)
  expect(ask(30)).toBe(3)
  pass(3_600)
  expect(ask(30)).toBe(10)
})

it('nobody else has less for it: not another viewer, nor the same name by another way in', () => {
  const { ask, vic } = setup()

  expect(ask(11)).toBe(10)
  expect(ask(11, { ...vic, name: 'val' })).toBe(10)
  expect(ask(11, { ...vic, wayIn: 'oidc' })).toBe(10)
})

it.each(['operator', 'admin'] as const)('%ss have no limit: to change things is their work', (role) => {
  const { ask, vic } = setup()

  expect(ask(1_000, { ...vic, role })).toBe(1_000)
})

it('a viewer is not forgiven because there are many others', () => {
  const { ask, vic } = setup()

  ask(10)
  for (let at = 0; at < 3_000; at += 1) ask(1, { ...vic, name: `other-${at}` })

  expect(ask(1)).toBe(0)
})
