import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { InjectOptions } from 'fastify'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openManagement } from '../../../src/broker/management/open-management.ts'
import { createToken } from '../../../src/http-api/auth/api-tokens.ts'
import { permissionsOf } from '../../../src/http-api/auth/decide-role.ts'
import type { OpenedSession, Problem, Role } from '../../../src/http-api/contract.ts'
import { type Endpoint, endpoints } from '../../../src/http-api/endpoints.ts'
import { startEmbeddedBroker } from '../../../src/testing/index.ts'
import { type ApiRig, basic, startApiRig } from './api-rig.ts'

const roles = ['viewer', 'operator', 'admin'] as const
const tagOf = { viewer: 'monitoring', operator: 'policymaker', admin: 'administrator' } as const
const queue = 'access.dlq'

const broker = await startEmbeddedBroker({ vhosts: ['other'] })
const tokens = Object.fromEntries(roles.map((role) => [role, createToken()])) as Record<
  Role,
  ReturnType<typeof createToken>
>
const expired = createToken()
const keys = await generateKeyPair('RS256')
const strangerKeys = await generateKeyPair('RS256')
const provider = createServer((_request, response) => {
  void exportJWK(keys.publicKey).then((key) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ keys: [{ ...key, kid: '1' }] })),
  )
})
let rig: ApiRig

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const management = openManagement(broker.managementUrl)
  const all = { configure: '.*', write: '.*', read: '.*' }
  for (const role of roles) {
    await management.users.put({ name: role, password: role, tags: [tagOf[role]] })
    await management.permissions.put({ vhost: '/', user: role, ...all })
    await management.users.put({ name: `other-${role}`, password: `other-${role}`, tags: [tagOf[role]] })
    await management.permissions.put({ vhost: 'other', user: `other-${role}`, ...all })
  }
  await management.users.put({ name: 'narrow', password: 'narrow', tags: ['administrator'] })
  await management.permissions.put({ vhost: '/', user: 'narrow', ...all, read: '^mine\\.' })
  management.close()
  rig = await startApiRig({
    ...broker,
    server: {
      auth: {
        tokens: [
          ...roles.map((role) => ({ name: `${role}-token`, role, hash: tokens[role].hash })),
          { name: 'old', role: 'admin', hash: expired.hash, expires: '2020-01-01' },
        ],
        oidc: {
          issuer: 'https://id.example',
          audience: 'warren',
          jwksUrl: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/keys`,
          claim: 'realm.groups',
          roles: { look: 'viewer', operate: 'operator', rule: 'admin' },
        },
      },
    },
  })
  await rig.declareDlq(queue)
})
afterAll(async () => {
  await rig.close()
  await broker.stop()
  provider.close()
})

const groupOf = { viewer: 'look', operator: 'operate', admin: 'rule' } as const

function oidcToken(role: Role, { expires = '5m', key = keys.privateKey, audience = 'warren' } = {}) {
  return new SignJWT({ realm: { groups: ['staff', groupOf[role]] } })
    .setProtectedHeader({ alg: 'RS256', kid: '1' })
    .setIssuer('https://id.example')
    .setAudience(audience)
    .setSubject(`${role}@example`)
    .setExpirationTime(expires)
    .sign(key)
}

type Headers = Record<string, string>

async function logIn(name: string): Promise<{ cookie: string; csrfToken: string }> {
  const payload = { username: name, password: name }
  const answer = await rig.app.inject({ method: 'POST', url: '/api/v1/session', payload })
  const [cookie] = String(answer.headers['set-cookie']).split(';')
  return { cookie: cookie!, csrfToken: answer.json<OpenedSession>().csrfToken }
}

const waysIn: Readonly<Record<string, (role: Role) => Promise<Headers>>> = {
  'an account of RabbitMQ': async (role) => ({ authorization: basic(role) }),
  'an API token': async (role) => ({ authorization: `Bearer ${tokens[role].token}` }),
  'an OIDC token': async (role) => ({ authorization: `Bearer ${await oidcToken(role)}` }),
  'a session': async (role) => {
    const { cookie, csrfToken } = await logIn(role)
    return { cookie, 'x-csrf-token': csrfToken }
  },
}

const all = Object.entries(endpoints) as [string, Endpoint<unknown, unknown, unknown, unknown>][]
const guarded = all.filter(([, { needs }]) => needs !== 'anyone')
const changing = guarded.filter(([, { method }]) => method !== 'GET')

/** A request that is valid and finds nothing to do: what is asked here is only who may. */
function requestTo({ method, path, body }: Endpoint<unknown, unknown, unknown, unknown>): InjectOptions {
  const url = path
    .replace(':queue', queue)
    .replace(':key', '0'.repeat(32))
    .replace(':id', '00000000-0000-4000-8000-000000000000')
  return { method, url, ...(body && { payload: path.startsWith('/admin') ? { limit: 1 } : { queue } }) }
}

async function ask(endpoint: Endpoint<unknown, unknown, unknown, unknown>, headers: Headers) {
  const answer = await rig.app.inject({ ...requestTo(endpoint), headers })
  const code = answer.statusCode < 400 ? undefined : answer.json<Problem>().code
  return { status: answer.statusCode, code }
}

describe.each(Object.keys(waysIn))('by %s', (way) => {
  it.each(roles)('the role %s reaches exactly its endpoints', async (role) => {
    const headers = await waysIn[way]!(role)

    const reached: string[] = []
    for (const [name, endpoint] of guarded) {
      const { status } = await ask(endpoint, headers)
      expect(status, name).not.toBe(401)
      expect(status, name).toBeLessThan(500)
      if (status !== 403) reached.push(name)
    }

    const permissions = permissionsOf(role)
    const allowed = guarded.filter(
      ([, { needs }]) => needs === 'known' || permissions.includes(needs as never),
    )
    expect(reached).toEqual(allowed.map(([name]) => name))
  })
})

describe('nobody reaches a guarded endpoint', () => {
  it('without credentials', async () => {
    for (const [, endpoint] of guarded)
      expect(await ask(endpoint, {})).toEqual({ status: 401, code: 'API_NOT_AUTHENTICATED' })
  })

  it('with an account of another vhost', async () => {
    const headers = { authorization: basic('other-admin') }

    expect(await ask(endpoints.listDlqs as never, headers)).toEqual({
      ...{ status: 401, code: 'API_NOT_AUTHENTICATED' },
    })
  })

  it('with a token that has expired', async () => {
    const oidc = await oidcToken('admin', { expires: '-5m' })

    for (const token of [expired.token, oidc])
      expect(await ask(endpoints.listDlqs as never, { authorization: `Bearer ${token}` })).toEqual({
        ...{ status: 401, code: 'API_CREDENTIALS_EXPIRED' },
      })
  })

  it('with a token of a stranger, or one for another audience', async () => {
    const forged = await oidcToken('admin', { key: strangerKeys.privateKey })
    const foreign = await oidcToken('admin', { audience: 'somebody-else' })

    for (const token of [forged, foreign])
      expect((await ask(endpoints.listDlqs as never, { authorization: `Bearer ${token}` })).status).toBe(401)
  })

  it('with a session but a missing or wrong CSRF token, if it changes something', async () => {
    const { cookie } = await logIn('admin')

    for (const [, endpoint] of changing)
      for (const headers of [{ cookie }, { cookie, 'x-csrf-token': 'guessed' }])
        expect(await ask(endpoint, headers)).toEqual({ status: 403, code: 'API_CSRF_REFUSED' })
  })

  it('from a page of another site, if it changes something', async () => {
    const authorization = basic('admin')

    for (const [, endpoint] of changing)
      for (const origin of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }])
        expect(await ask(endpoint, { authorization, ...origin })).toEqual({
          ...{ status: 403, code: 'API_CSRF_REFUSED' },
        })
  })

  it('about a queue that RabbitMQ does not let them read', async () => {
    const headers = { authorization: basic('narrow') }
    const about = guarded.filter(
      ([, { path, body }]) => path.includes(':queue') || (body && path !== '/api/v1/session'),
    )

    for (const [, endpoint] of about)
      expect(await ask(endpoint, headers)).toEqual({ status: 403, code: 'API_FORBIDDEN' })
    const list = await rig.app.inject({ url: '/api/v1/dlqs', headers })
    expect(list.json<{ items: unknown[] }>().items).toEqual([])
  })
})

it('a session is kept in a cookie that scripts and other sites do not get', async () => {
  const payload = { username: 'viewer', password: 'viewer' }
  const answer = await rig.app.inject({ method: 'POST', url: '/api/v1/session', payload })

  expect(answer.statusCode).toBe(201)
  expect(String(answer.headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Strict$/)
})

it('a caller is told who they are and what they may call', async () => {
  const headers = await waysIn['an OIDC token']!('operator')

  const answer = await rig.app.inject({ url: '/api/v1/my/permissions', headers })

  expect(answer.json()).toEqual({
    ...{ name: 'operator@example', role: 'operator', wayIn: 'oidc', vhost: '/' },
    permissions: permissionsOf('operator'),
  })
})

it('whoever sends wrong credentials again and again has to wait, also with right ones', async () => {
  const from = (authorization: string) =>
    rig.app.inject({ url: '/api/v1/dlqs', headers: { authorization }, remoteAddress: '10.9.8.7' })

  const statuses: number[] = []
  for (let at = 0; at < 11; at += 1) statuses.push((await from(basic('admin', `guess-${at}`))).statusCode)
  const right = await from(basic('admin'))

  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
  expect(right.statusCode).toBe(429)
  expect(Number(right.headers['retry-after'])).toBeGreaterThan(0)
})

describe('a re-drive to a queue by its name', () => {
  it.each([
    ['an operator', 'operator', 'mine.orders'],
    ['an admin who may not read it', 'narrow', 'orders'],
  ])('is refused to %s', async (_, user, to) => {
    const source = user === 'narrow' ? 'mine.dlq' : queue
    const answer = await rig.app.inject({
      ...{ method: 'POST', url: '/api/v1/redrives', headers: { authorization: basic(user) } },
      payload: { queue: source, to },
    })

    expect(answer.statusCode).toBe(403)
    expect(answer.json<Problem>()).toMatchObject({
      code: 'API_FORBIDDEN',
      detail: expect.stringContaining(to),
    })
  })
})
