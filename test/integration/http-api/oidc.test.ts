import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, it, onTestFinished } from 'vitest'
import type { MyPermissions, Problem } from '../../../src/http-api/contract.ts'
import { setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()

/** An identity provider with a discovery document; it may be down. */
async function startProvider() {
  const asked: string[] = []
  let isUp = true
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const json = (value: unknown) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
    if (!isUp) return response.writeHead(503).end('down')
    if (request.url === '/.well-known/openid-configuration')
      return json({ issuer, jwks_uri: `${issuer}/the/keys` })
    if (request.url === '/the/keys')
      return void exportJWK(publicKey).then((key) => json({ keys: [{ ...key, kid: '1', alg: 'ES256' }] }))
    return response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ issuer, asked },
    setUp: (up: boolean) => {
      isUp = up
    },
    sign: (claims: object = { roles: ['sre'] }, from = issuer) =>
      new SignJWT({ sub: 'dana', exp: Math.floor(Date.now() / 1_000) + 300, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: '1' })
        .setIssuer(from)
        .setAudience('warren')
        .sign(privateKey),
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
