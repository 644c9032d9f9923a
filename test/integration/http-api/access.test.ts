import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Caller } from '../../../packages/cli/src/http-api/auth/caller.ts'
import { permissionsOf } from '../../../packages/cli/src/http-api/auth/decide-role.ts'
import { createSessions } from '../../../packages/cli/src/http-api/auth/sessions.ts'
import { createToken } from '../../../packages/cli/src/http-api/auth/stored-token.ts'
import type {
  OpenedSession,
  Permission,
  Problem,
  Role,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { endpoints } from '../../../packages/cli/src/http-api/contract/endpoints.ts'
import { createVhost } from '../../support/use-broker.ts'
import { type ApiRig, startApiRig } from './api-rig.ts'
import { type AnyEndpoint, fittingRequest, namesQueue } from './fitting-request.ts'
import { askFor } from './leave-streams.ts'
import { useApiBroker } from './use-api-broker.ts'

const roles = ['viewer', 'operator', 'admin'] as const
const tagOf = { viewer: 'monitoring', operator: 'policymaker', admin: 'administrator' } as const
const queue = 'access.dlq'
const sessionKey = 'the key of this test, long enough'

const broker = await useApiBroker()
const other = await createVhost()
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
  for (const role of roles) {
    const tag = tagOf[role]
    await broker.createAccount(role, { tag })
    await broker.createAccount(`other-${role}`, { tag, vhost: other.vhost })
    await broker.createAccount(`untagged-${role}`, { tag: '' })
  }
  await broker.createAccount('narrow', { tag: 'administrator', read: '^mine\\.' })
  rig = await startApiRig({
    ...broker,
    env: { WARREN_SESSION_KEY: sessionKey },
    declared: { queues: { 'access.orders': {} } },
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
  await other.drop()
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

async function logIn(role: Role): Promise<{ cookie: string; csrfToken: string }> {
  const payload = { username: broker.nameOf(role), password: broker.nameOf(role) }
  const answer = await rig.app.inject({ method: 'POST', url: '/api/v1/session', payload })
  const [cookie] = String(answer.headers['set-cookie']).split(';')
  return { cookie: cookie!, csrfToken: answer.json<OpenedSession>().csrfToken }
}

const waysIn: Readonly<Record<string, (role: Role) => Promise<Headers>>> = {
  'an account of RabbitMQ': async (role) => broker.as(role),
  'an API token': async (role) => ({ authorization: `Bearer ${tokens[role].token}` }),
  'an OIDC token': async (role) => ({ authorization: `Bearer ${await oidcToken(role)}` }),
  // Anew each time: one of the endpoints ends it.
  'a session': async (role) => {
    const { cookie, csrfToken } = await logIn(role)
    return { cookie, 'x-csrf-token': csrfToken }
  },
}

/** Proofs that were good once, or are good elsewhere, for the endpoint at this place. */
const uselessProofs: Readonly<Record<string, (at: number) => Promise<readonly [Headers, string]>>> = {
  'no credentials': async () => [{}, 'API_NOT_AUTHENTICATED'],
  'an account of another vhost': async (at) => [
    // In turns, so that none of them is locked for being tried too often.
    broker.as(`other-${roles[at % roles.length]}`),
    'API_NOT_AUTHENTICATED',
  ],
  'an account without a tag': async (at) => [
    broker.as(`untagged-${roles[at % roles.length]}`),
    'API_NOT_AUTHENTICATED',
  ],
  'a session of another vhost': async () => [
    { cookie: await cookieOf({ vhost: other.vhost, lifetimeMs: 60_000 }) },
    'API_NOT_AUTHENTICATED',
  ],
  'a session that has expired': async () => [
    { cookie: await cookieOf({ vhost: broker.vhost, lifetimeMs: -60_000 }) },
    'API_CREDENTIALS_EXPIRED',
  ],
  'an API token that has expired': async () => [
    { authorization: `Bearer ${expired.token}` },
    'API_CREDENTIALS_EXPIRED',
  ],
  'an OIDC token that has expired': async () => [
    { authorization: `Bearer ${await oidcToken('admin', { expires: '-5m' })}` },
    'API_CREDENTIALS_EXPIRED',
  ],
  'an OIDC token of a stranger': async () => [
    { authorization: `Bearer ${await oidcToken('admin', { key: strangerKeys.privateKey })}` },
    'API_NOT_AUTHENTICATED',
  ],
  'an OIDC token for another audience': async () => [
    { authorization: `Bearer ${await oidcToken('admin', { audience: 'somebody-else' })}` },
    'API_NOT_AUTHENTICATED',
  ],
}

async function cookieOf({ vhost, lifetimeMs }: { vhost: string; lifetimeMs: number }): Promise<string> {
  const admin: Caller = {
    name: broker.nameOf('admin'),
    role: 'admin',
    wayIn: 'broker-account',
    readableQueues: undefined,
  }
  const { cookie } = await createSessions({ key: sessionKey, lifetimeMs, vhost }).open(admin, {
    isWatched: false,
  })
  return `warren_session=${cookie}`
}

// Made of the list of endpoints: one that is added there is asked here, by each way in, as each role.
const all = Object.entries(endpoints) as [string, AnyEndpoint][]
const guarded = all.filter(([, { needs }]) => needs !== 'anyone')
const changing = guarded.filter(([, { method }]) => method !== 'GET')

let asked = 0

async function ask(endpoint: AnyEndpoint, headers: Headers) {
  const request = fittingRequest(endpoint, queue)
  // Each from an address of its own: wrong credentials are counted by address.
  asked += 1
  const remoteAddress = `10.0.${asked >> 8}.${asked & 255}`
  const { status, body } = await askFor(rig, endpoint, {
    ...request,
    headers: { ...request.headers, ...headers },
    remoteAddress,
  })
  return { status, code: status < 400 ? '' : (JSON.parse(body) as Problem).code }
}

describe.each(guarded)('the endpoint %s', (name, endpoint) => {
  const { needs } = endpoint
  const at = guarded.findIndex(([each]) => each === name)
  const cases = Object.keys(waysIn).flatMap((way) => roles.map((role) => ({ way, role })))

  it.each(cases)('by $way as $role', async ({ way, role }) => {
    const mayAsk = needs === 'known' || permissionsOf(role).includes(needs as Permission)

    const { status, code } = await ask(endpoint, await waysIn[way]!(role))

    if (mayAsk) {
      expect(status, code).not.toBe(401)
      expect(status, code).not.toBe(403)
      expect(status, code).toBeLessThan(500)
    } else expect({ status, code }).toEqual({ status: 403, code: 'API_FORBIDDEN' })
  })

  it.each(Object.keys(uselessProofs))('is closed to %s', async (proof) => {
    const [headers, code] = await uselessProofs[proof]!(at)

    expect(await ask(endpoint, headers)).toEqual({ status: 401, code })
  })
})

describe.each(changing)('the endpoint %s, which changes something,', (_, endpoint) => {
  it.each([
    ['a missing CSRF token', {}],
    ['a wrong CSRF token', { 'x-csrf-token': 'guessed' }],
  ])('is closed to a session with %s', async (_name, extra) => {
    const { cookie } = await logIn('admin')

    expect(await ask(endpoint, { cookie, ...extra })).toEqual({ status: 403, code: 'API_CSRF_REFUSED' })
  })

  it('is closed to a session with the CSRF token of another', async () => {
    const [{ cookie }, { csrfToken }] = [await logIn('admin'), await logIn('admin')]

    expect(await ask(endpoint, { cookie, 'x-csrf-token': csrfToken })).toEqual({
      status: 403,
      code: 'API_CSRF_REFUSED',
    })
  })

  it.each([{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, { origin: 'null' }])(
    'is closed to pages of other sites: %j',
    async (origin) => {
      const headers = { ...broker.as('admin'), ...origin } as Headers

      expect(await ask(endpoint, headers)).toEqual({ status: 403, code: 'API_CSRF_REFUSED' })
    },
  )
})

describe.each(guarded.filter(([, endpoint]) => namesQueue(endpoint)))(
  'the endpoint %s, which is about a queue,',
  (_, endpoint) => {
    it('is closed to who may not read it in RabbitMQ', async () => {
      expect(await ask(endpoint, broker.as('narrow'))).toEqual({
        status: 403,
        code: 'API_FORBIDDEN',
      })
    })
  },
)

it('lists are without queues that RabbitMQ does not let one read', async () => {
  const headers = broker.as('narrow')

  const lists = ['/api/v1/dlqs', '/api/v1/tasks', '/api/v1/history', '/api/v1/approvals', '/api/v1/backups']
  const answers = await Promise.all(lists.map((url) => rig.app.inject({ url, headers })))

  expect(answers.map((answer) => answer.json<{ items: unknown[] }>().items)).toEqual(lists.map(() => []))
})

it('a session is kept in a cookie that scripts and other sites do not get', async () => {
  const payload = { username: broker.nameOf('viewer'), password: broker.nameOf('viewer') }
  const answer = await rig.app.inject({ method: 'POST', url: '/api/v1/session', payload })

  expect(answer.statusCode).toBe(201)
  expect(String(answer.headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Strict$/)
})

it('a caller is told who they are and what they may call', async () => {
  const headers = await waysIn['an OIDC token']!('operator')

  const answer = await rig.app.inject({ url: '/api/v1/my/permissions', headers })

  expect(answer.json()).toEqual({
    name: 'operator@example',
    role: 'operator',
    wayIn: 'oidc',
    vhost: broker.vhost,
    permissions: permissionsOf('operator'),
    features: [],
  })
})

describe('a re-drive to a queue by its name', () => {
  it.each([
    ['an operator', 'operator', 'mine.orders'],
    ['an admin who may not read it', 'narrow', 'orders'],
  ])('is refused to %s', async (_, user, to) => {
    const source = user === 'narrow' ? 'mine.dlq' : queue
    await rig.declareDlq('mine.dlq')
    const answer = await rig.app.inject({
      method: 'POST',
      url: '/api/v1/redrives',
      headers: broker.as(user),
      payload: { queue: source, to },
    })

    expect(answer.statusCode).toBe(403)
    expect(answer.json<Problem>()).toMatchObject({
      code: 'API_FORBIDDEN',
      detail: expect.stringContaining(to),
    })
  })
})
