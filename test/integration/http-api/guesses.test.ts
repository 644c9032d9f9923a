import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createToken } from '../../../packages/cli/src/http-api/auth/stored-token.ts'
import type { Problem } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { type ApiRig, basic, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const { token, hash } = createToken()
const server = { auth: { accounts: true, tokens: [{ name: 'prometheus', role: 'viewer', hash }] } }
const address = '10.9.8.7'

beforeAll(async () => {
  for (const person of ['olga', 'vic']) await broker.createAccount(person, { tag: 'monitoring' })
})

function ask({ app }: ApiRig, authorization: string, from = address, url = '/api/v1/my/permissions') {
  return app.inject({ url, headers: { authorization }, remoteAddress: from })
}

/** Wrong passwords, one after the other; what was answered. */
async function guess(rig: ApiRig, { count, from = address }: { count: number; from?: string }) {
  const statuses: number[] = []
  for (let at = 0; at < count; at += 1)
    statuses.push((await ask(rig, basic(broker.nameOf('olga'), `guess-${at}`), from)).statusCode)
  return statuses
}

it('wrong guesses from an address lock out no token, and no account that was let in before', async () => {
  const rig = await setUpApi({ ...broker, server })
  const before = await ask(rig, broker.as('vic').authorization)

  const guessed = await guess(rig, { count: 10 })
  const after = [
    await ask(rig, `Bearer ${token}`, address, '/metrics'),
    await ask(rig, broker.as('vic').authorization, address, '/metrics'),
  ]

  expect(before.statusCode).toBe(200)
  expect(new Set(guessed)).toEqual(new Set([401]))
  expect(after.map(({ statusCode }) => statusCode)).toEqual([200, 200])
})

it('who is right is let in after wrong guesses from the same address, if slowly', async () => {
  const rig = await setUpApi({ ...broker, server })
  await guess(rig, { count: 10 })

  expect((await ask(rig, broker.as('olga').authorization)).statusCode).toBe(200)
})

it('guesses for an account from many addresses do not lock out its owner', async () => {
  const rig = await setUpApi({ ...broker, server })
  for (const from of ['10.1.1.1', '10.1.1.2', '10.1.1.3', '10.1.1.4']) await guess(rig, { count: 9, from })

  expect((await ask(rig, broker.as('olga').authorization, '10.1.1.5')).statusCode).toBe(200)
})

it('who guesses goes on slowly, and what would not wait is refused unchecked', async () => {
  const rig = await setUpApi({ ...broker, server })
  await guess(rig, { count: 10 })

  const more = await Promise.all(
    Array.from({ length: 20 }, (_, at) => ask(rig, basic(broker.nameOf('olga'), `more-${at}`))),
  )

  const refused = more.filter(({ statusCode }) => statusCode === 429)
  // One of them has the place of its account in the lane of the address.
  expect(refused.length).toBeGreaterThan(10)
  expect(refused[0]!.json<Problem>().code).toBe('API_TOO_MANY_ATTEMPTS')
})

it('keys that are guessed are refused, and the wait is none of the clock on the wall', async () => {
  const rig = await setUpApi({ ...broker, server })
  for (let at = 0; at < 10; at += 1) await ask(rig, `Bearer warren_${at}`)

  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 7_200_000)
  const answer = await ask(rig, 'Bearer warren_more').finally(() => clock.mockRestore())

  expect(answer.statusCode).toBe(429)
  expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60)
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
})

describe('credentials that RabbitMQ cannot be sent', () => {
  it.each([
    ['a name that is too long for its header', 'n'.repeat(9_000), 'x'],
    ['a password that is too long for its header', 'ann', 'p'.repeat(9_000)],
  ])('are wrong ones, as others are: %s', async (_, username, password) => {
    const rig = await setUpApi({ ...broker, server })

    const answer = await ask(rig, basic(username, password))

    expect(answer.json<Problem>()).toMatchObject({ status: 401, code: 'API_NOT_AUTHENTICATED' })
  })

  it('are those with a colon in the name, behind which it would be a password', async () => {
    const name = broker.nameOf('cora')
    await broker.createAccount('cora', { tag: 'monitoring' })
    await broker.management('PUT', `/api/users/${name}`, { password: 'left:right', tags: 'monitoring' })
    const rig = await setUpApi({ ...broker, server })
    const logIn = (username: string, password: string) =>
      rig.app.inject({ method: 'POST', url: '/api/v1/session', payload: { username, password } })

    const guessed = await logIn(`${name}:left`, 'right')
    const right = await logIn(name, 'left:right')

    expect([guessed.statusCode, right.statusCode]).toEqual([401, 201])
  })
})
