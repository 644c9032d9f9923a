import { describe, expect, it } from 'vitest'
import type {
  AuditPage,
  CurrentSession,
  OpenedSession,
  Problem,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { type ApiRig, setUpApi } from './api-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()

const { headers: admin, username, password } = broker
const env = { WARREN_SESSION_KEY: 'shared by both servers of the test' }
const session = '/api/v1/session'

async function logIn({ app }: ApiRig) {
  const payload = { username, password }
  const answer = await app.inject({ method: 'POST', url: session, payload })
  const [cookie] = String(answer.headers['set-cookie']).split(';')
  return { cookie: cookie!, 'x-csrf-token': answer.json<OpenedSession>().csrfToken }
}

async function statusOf({ app }: ApiRig, headers: Record<string, string>): Promise<number> {
  return (await app.inject({ url: '/api/v1/my/permissions', headers })).statusCode
}

describe('logging out', () => {
  it('ends the session on every server, for every copy of its cookie', async () => {
    const [one, two] = [await setUpApi({ ...broker, env }), await setUpApi({ ...broker, env })]
    const browser = await logIn(one)
    const before = [await statusOf(one, browser), await statusOf(two, browser)]

    const out = await one.app.inject({ method: 'DELETE', url: session, headers: browser })
    const later = await setUpApi({ ...broker, env })

    expect(before).toEqual([200, 200])
    expect(out.statusCode).toBe(204)
    expect(String(out.headers['set-cookie'])).toMatch(/^warren_session=;/)
    expect(await statusOf(one, browser)).toBe(401)
    await expect.poll(() => statusOf(two, browser)).toBe(401)
    expect(await statusOf(later, browser)).toBe(401)
  })

  it('leaves other sessions of the same account alone', async () => {
    const rig = await setUpApi({ ...broker, env })
    const [one, other] = [await logIn(rig), await logIn(rig)]

    await rig.app.inject({ method: 'DELETE', url: session, headers: one })

    expect(await statusOf(rig, one)).toBe(401)
    expect(await statusOf(rig, other)).toBe(200)
  })

  it('is in the audit log', async () => {
    const rig = await setUpApi({ ...broker, env })
    await rig.app.inject({ method: 'DELETE', url: session, headers: await logIn(rig) })

    const audit = await rig.app.inject({ url: '/api/v1/audit', headers: admin })

    const actions = audit.json<AuditPage>().items.map(({ action }) => action)
    expect(actions.slice(0, 3)).toEqual(['audit.read', 'session.close', 'session.open'])
  })

  it('does not need one to have come by a session', async () => {
    const rig = await setUpApi({ ...broker, env })

    const out = await rig.app.inject({ method: 'DELETE', url: session, headers: admin })

    expect(out.statusCode).toBe(204)
  })
})

describe('a page that is loaded again', () => {
  it('finds out who is logged in, what they may, and the token of their session', async () => {
    const rig = await setUpApi({ ...broker, env })
    const opened = await rig.app.inject({ method: 'POST', url: session, payload: { username, password } })
    const [cookie] = String(opened.headers['set-cookie']).split(';')

    const answer = await rig.app.inject({ url: session, headers: { cookie: cookie! } })

    const { expiresAt, ...told } = opened.json<OpenedSession>()
    expect(answer.statusCode).toBe(200)
    const vhosts = [{ name: broker.vhost, path: '', isHere: true }]
    expect(answer.json<CurrentSession>()).toEqual({ ...told, expiresAt: expect.any(String), vhosts })
    // A cookie knows whole seconds.
    const differenceMs = Date.parse(answer.json<OpenedSession>().expiresAt) - Date.parse(expiresAt)
    expect(Math.abs(differenceMs)).toBeLessThan(1_000)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  it('can go on where the one before has ended', async () => {
    const rig = await setUpApi({ ...broker, env })
    const { cookie } = await logIn(rig)
    const { csrfToken } = (await rig.app.inject({ url: session, headers: { cookie } })).json<CurrentSession>()

    const headers = { cookie, 'x-csrf-token': csrfToken! }
    const out = await rig.app.inject({ method: 'DELETE', url: session, headers })
    const after = await rig.app.inject({ url: session, headers: { cookie } })

    expect([out.statusCode, after.statusCode]).toEqual([204, 401])
  })

  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ])('is told nothing where it is one of another origin: %j', async (origin) => {
    const rig = await setUpApi({ ...broker, env })
    const { cookie, 'x-csrf-token': csrfToken } = await logIn(rig)

    const answer = await rig.app.inject({ url: session, headers: { cookie, ...origin } })

    expect(answer.json<Problem>()).toMatchObject({ status: 403, code: 'API_CSRF_REFUSED' })
    expect(answer.body).not.toContain(csrfToken)
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
  })

  it('has no token where the proof is no cookie', async () => {
    const rig = await setUpApi({ ...broker, env })
    const { cookie } = await logIn(rig)

    const answer = await rig.app.inject({ url: session, headers: { ...admin, cookie } })

    expect(answer.json<CurrentSession>()).toMatchObject({
      name: username,
      role: 'admin',
      csrfToken: null,
      expiresAt: null,
    })
  })

  it('is told that nobody is logged in', async () => {
    const rig = await setUpApi({ ...broker, env })

    const answer = await rig.app.inject({ url: session })

    expect(answer.json<Problem>()).toMatchObject({ status: 401, code: 'API_NOT_AUTHENTICATED' })
  })
})

it('a session of a server with another key is none', async () => {
  const one = await setUpApi({ ...broker, env })
  const other = await setUpApi({
    ...broker,
    env: { WARREN_SESSION_KEY: 'another key, which is as long as that' },
  })
  const headers = await logIn(one)

  const answer = await other.app.inject({ url: '/api/v1/dlqs', headers })

  expect(answer.statusCode).toBe(401)
  expect(answer.json<Problem>().code).toBe('API_NOT_AUTHENTICATED')
})

describe('the cookie of a session', () => {
  const host = 'warren.example'
  const byTls = { host, origin: `https://${host}`, 'sec-fetch-site': 'same-origin' }
  const byPlainHttp = { host, origin: `http://${host}` }
  const onThisMachine = { host: 'localhost', origin: 'http://localhost', 'sec-fetch-site': 'same-origin' }

  const logInFrom = async ({ app }: ApiRig, headers: Record<string, string>) => {
    const payload = { username, password }
    const { cookies } = await app.inject({ method: 'POST', url: session, payload, headers })
    return cookies[0]!
  }

  it.each([
    ['by TLS', byTls, '__Host-warren_session', true],
    ['by plain HTTP', byPlainHttp, 'warren_session', undefined],
    ['on this machine', onThisMachine, 'warren_session', undefined],
  ])('%s has a name that fits', async (_, headers, name, secure) => {
    const rig = await setUpApi(broker)

    const cookie = await logInFrom(rig, headers)

    expect(cookie).toMatchObject({ name, path: '/', httpOnly: true, sameSite: 'Strict' })
    expect([cookie.secure, cookie.domain]).toEqual([secure, undefined])
    expect(await statusOf(rig, { ...headers, cookie: `${name}=${cookie.value}` })).toBe(200)
  })

  it('that a neighbouring host can have set is none by TLS', async () => {
    const rig = await setUpApi(broker)
    const planted = `warren_session=${(await logInFrom(rig, byPlainHttp)).value}`
    const { origin: _, ...page } = byTls

    expect(await statusOf(rig, { ...byTls, cookie: planted })).toBe(401)
    expect(await statusOf(rig, { ...page, cookie: planted })).toBe(401)
    expect(await statusOf(rig, { ...byPlainHttp, cookie: `${planted}; warren_session=another` })).toBe(401)
  })

  it('is taken back by both names', async () => {
    const rig = await setUpApi(broker)

    const out = await rig.app.inject({ method: 'DELETE', url: session, headers: await logIn(rig) })

    expect(out.cookies.map(({ name, value, path }) => [name, value, path])).toEqual([
      ['warren_session', '', '/'],
      ['__Host-warren_session', '', '/'],
    ])
    expect(out.cookies[1]!.secure).toBe(true) // else a browser keeps it
  })
})
