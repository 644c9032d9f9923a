import { expect, it, onTestFinished } from 'vitest'
import type { MyPermissions, Problem } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { setUpApi } from './api-rig.ts'
import { startOidcProvider } from './oidc-provider.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()

/** A provider, and a program that gets tokens for itself there. */
async function startProvider() {
  const provider = await startOidcProvider()
  onTestFinished(() => provider.close())
  return {
    ...provider,
    sign: (claims: object = { roles: ['sre'] }, from = provider.issuer) =>
      provider.sign({ aud: 'warren', sub: 'dana', ...claims }, from),
  }
}

async function setup() {
  const provider = await startProvider()
  const { issuer } = provider
  const server = { auth: { oidc: { issuer, audience: 'warren', roles: { sre: 'operator' } } } }
  const { app } = await setUpApi({ ...broker, server })
  const ask = (token: string) =>
    app.inject({ url: '/api/v1/my/permissions', headers: { authorization: `Bearer ${token}` } })
  return { ...provider, ask }
}

it('the keys of a provider are found by its discovery document, once for all who come', async () => {
  const { ask, sign, asked } = await setup()

  const answers = [await ask(await sign()), await ask(await sign())]

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200])
  expect(answers[0]!.json<MyPermissions>()).toMatchObject({ name: 'dana', role: 'operator', wayIn: 'oidc' })
  expect(asked).toEqual(['/.well-known/openid-configuration', '/the/keys'])
})

it('a provider that is down lets nobody in, is no fault of who asks, and is asked again by the next', async () => {
  const { ask, sign, setUp } = await setup()

  setUp(false)
  const down = await ask(await sign())
  setUp(true)
  const up = await ask(await sign())

  expect(down.statusCode).toBe(503)
  expect(down.json<Problem>().code).toBe('OIDC_UNAVAILABLE')
  expect(up.statusCode).toBe(200)
})

it('a discovery document of somebody else is not believed', async () => {
  const provider = await startProvider()
  const issuer = provider.issuer.replace('127.0.0.1', 'localhost')
  const server = { auth: { oidc: { issuer, audience: 'warren', roles: { sre: 'operator' } } } }
  const { app } = await setUpApi({ ...broker, server })
  const authorization = `Bearer ${await provider.sign({ roles: ['sre'] }, issuer)}`

  const answer = await app.inject({ url: '/api/v1/my/permissions', headers: { authorization } })

  expect(answer.json<Problem>().code).toBe('OIDC_UNAVAILABLE')
  expect(provider.asked).not.toContain('/the/keys')
})

it.each([
  ['of another issuer', { roles: ['sre'] }, 'https://elsewhere.example'],
  ['without a role here', { roles: ['guest'] }, undefined],
  ['whose claim is no list of names', { roles: { sre: true } }, undefined],
])('a token %s is nobody', async (_, claims, issuer) => {
  const { ask, sign } = await setup()

  expect((await ask(await sign(claims, issuer))).statusCode).toBe(401)
})

it('a token that nobody signed is nobody', async () => {
  const { ask, issuer } = await setup()
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iss: issuer, aud: 'warren', sub: 'dana', roles: ['sre'], exp: 4_102_444_800 }

  const answer = await ask(`${encode({ alg: 'none' })}.${encode(claims)}.`)

  expect(answer.statusCode).toBe(401)
})

it.each([
  ['never ends', { exp: undefined }],
  ['has no name', { sub: '' }],
  ['has a name of nothing but spaces', { sub: '  ' }],
])('a token that %s opens nothing', async (_, claims) => {
  const { ask, sign } = await setup()

  expect((await ask(await sign({ roles: ['sre'], ...claims }))).statusCode).toBe(401)
})
