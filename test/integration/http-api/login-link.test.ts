import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { createLoginLink } from '../../../packages/cli/src/http-api/auth/login-link.ts'
import { basic, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
beforeAll(() => broker.createAccount('ann', { tag: 'policymaker' }))

async function setup() {
  const name = broker.nameOf('ann')
  const loginLink = createLoginLink({ username: name, password: name })
  const rig = await setUpApi({ ...broker, loginLink })
  const headers = { host: '127.0.0.1:15680' }
  const follow = () => rig.app.inject({ url: `/api/v1/session/link?secret=${loginLink.secret}`, headers })
  return { rig, name, follow }
}

it('a link that nobody can guess waits behind no guesses of others, and works once', async () => {
  const { rig, name, follow } = await setup()
  const guess = (at: number) =>
    rig.app.inject({ url: '/api/v1/my/permissions', headers: { authorization: basic(name, `guess-${at}`) } })
  for (let at = 0; at < 10; at += 1) await guess(at)
  const slow = Promise.all([10, 11, 12].map(guess)) // one has the place in the lane where it would wait
  onTestFinished(() => void slow)

  const opened = await follow()

  expect(opened.statusCode, opened.body).toBe(303)
  expect((await follow()).statusCode).toBe(401)
})
