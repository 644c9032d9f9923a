import { expect, it, onTestFinished, vi } from 'vitest'
import type { Management } from 'warrenmq/operations'
import { openBrokerAccounts } from './broker-accounts.ts'
import { roleByTag } from './decide-role.ts'

const credentials = { username: 'ann', password: 'secret' }

/** RabbitMQ with one account, until that is deleted. */
function setup(clock?: { now(): number }) {
  let isThere = true
  let asked = 0
  const permission = { user: 'ann', vhost: '/', configure: '', write: '.*', read: '.*' }
  const management = {
    permissions: { list: async () => (isThere ? [permission] : []) },
    loginAs: () => ({
      whoAmI: async () => {
        asked += 1
        return { name: 'ann', tags: ['monitoring'] }
      },
      close: () => {},
    }),
  }
  const settings = { management: management as unknown as Management, vhost: '/', roles: roleByTag }
  const check = openBrokerAccounts(settings, clock)
  return {
    askedBy: async () => {
      const before = asked
      const caller = await check(credentials)
      return { role: caller?.role, wasAsked: asked > before }
    },
    remove: () => {
      isThere = false
    },
  }
}

it('what RabbitMQ said of a password is good for thirty seconds, and then it is asked again', async () => {
  let nowMs = 1_000
  const { askedBy, remove } = setup({ now: () => nowMs })

  const first = await askedBy()
  remove()
  nowMs += 29_999
  const second = await askedBy()
  nowMs += 1
  const third = await askedBy()

  expect([first, second, third]).toEqual([
    { role: 'viewer', wasAsked: true },
    { role: 'viewer', wasAsked: false },
    { role: undefined, wasAsked: true },
  ])
})

it('a clock that is set makes no difference to how long it is good', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { askedBy } = setup()

  await askedBy()
  vi.setSystemTime(Date.now() + 3_600_000)

  expect(await askedBy()).toEqual({ role: 'viewer', wasAsked: false })
})
