import { describe, expect, it } from 'vitest'
import type { AuditPage, Problem } from '../../../packages/cli/src/http-api/contract/contract.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { clientId } from './oidc-provider.ts'
import { type Browser, loginPath, setUpLogin } from './oidc-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const cookieName = '__Host-warren_login'

async function expectRefused(browser: Browser, path: string): Promise<void> {
  const answer = await browser.get(path)
  expect(answer.json<Problem>(), answer.body).toMatchObject({ status: 401, code: 'OIDC_LOGIN_REFUSED' })
  expect(browser.cookies.has('__Host-warren_session')).toBe(false)
}

/** Another value in the query of a path. */
function withField(path: string, name: string, value: string | undefined): string {
  const url = new URL(path, 'https://warren.example')
  if (value === undefined) url.searchParams.delete(name)
  else url.searchParams.set(name, value)
  return `${url.pathname}${url.search}`
}

function fieldOf(path: string, name: string): string {
  return new URL(path, 'https://warren.example').searchParams.get(name)!
}

describe('a login that comes back', () => {
  it('twice is one login', async () => {
    const { openBrowser, provider } = await setUpLogin({ broker })
    const [browser, thief] = [openBrowser(), openBrowser()]
    const path = await browser.logInThere()
    thief.cookies.set(cookieName, browser.cookies.get(cookieName)!)
    const first = await browser.get(path)

    await expectRefused(thief, path)

    expect(first.statusCode).toBe(200)
    expect(provider.redeemed).toHaveLength(1)
  })

  it('twice at once is one login', async () => {
    const { openBrowser, provider } = await setUpLogin({ broker })
    const [browser, thief] = [openBrowser(), openBrowser()]
    const path = await browser.logInThere()
    thief.cookies.set(cookieName, browser.cookies.get(cookieName)!)

    const answers = await Promise.all([browser.get(path), thief.get(path)])

    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 401])
    expect(provider.redeemed).toHaveLength(1)
  })

  it('is not used up by what only looks at its address', async () => {
    const { app, openBrowser, provider } = await setUpLogin({ broker })
    const browser = openBrowser()
    const path = await browser.logInThere()
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')

    const looked = await app.inject({ method: 'HEAD', url: path, headers: { cookie } })
    const redeemed = provider.redeemed.length
    const answer = await browser.get(path)

    expect([looked.statusCode, looked.cookies, redeemed]).toEqual([405, [], 0])
    expect(answer.statusCode).toBe(200)
  })

  it('after it has failed is none any more', async () => {
    const { openBrowser, provider } = await setUpLogin({ broker })
    const browser = openBrowser()
    const path = await browser.logInThere()
    const kept = browser.cookies.get(cookieName)!
    await expectRefused(browser, withField(withField(path, 'code', undefined), 'error', 'access_denied'))
    browser.cookies.set(cookieName, kept)

    await expectRefused(browser, path)

    expect(provider.redeemed).toEqual([])
  })

  it.each<[string, (path: string) => string]>([
    ['without its state', (path) => withField(path, 'state', undefined)],
    ['with an empty state', (path) => withField(path, 'state', '')],
    ['with a state that somebody made up', (path) => withField(path, 'state', 'x'.repeat(43))],
    ['without a code', (path) => withField(path, 'code', undefined)],
    ['from somebody else than the provider', (path) => withField(path, 'iss', 'https://evil.example')],
    ['from nobody, where the provider names itself', (path) => withField(path, 'iss', undefined)],
    [
      'with an error of somebody else',
      (path) => withField(withField(path, 'error', 'access_denied'), 'iss', 'x'),
    ],
  ])('%s is refused, and nothing is redeemed', async (_, change) => {
    const { openBrowser, provider } = await setUpLogin({ broker })
    const browser = openBrowser()

    await expectRefused(browser, change(await browser.logInThere()))

    expect(provider.redeemed).toEqual([])
  })

  it('to a browser that has begun none is refused', async () => {
    const { openBrowser, provider } = await setUpLogin({ broker })
    const path = await openBrowser().logInThere()

    await expectRefused(openBrowser(), path)

    expect(provider.redeemed).toEqual([])
  })

  it('from nobody is taken of a provider that does not name itself', async () => {
    const { openBrowser } = await setUpLogin({ broker, provider: { isNamedInAnswers: false } })
    const [browser, victim] = [openBrowser(), openBrowser()]
    const path = await victim.logInThere()

    const answer = await browser.logIn()

    expect(answer.statusCode).toBe(200)
    await expectRefused(victim, withField(path, 'iss', 'https://evil.example'))
  })
})

describe('a code of another login', () => {
  it('has another verifier', async () => {
    const { openBrowser, provider } = await setUpLogin({ broker })
    const [victim, attacker] = [openBrowser(), openBrowser()]
    const stolen = fieldOf(await victim.logInThere(), 'code')

    await expectRefused(attacker, withField(await attacker.logInThere(), 'code', stolen))

    expect(provider.redeemed).toHaveLength(1)
    expect(provider.redeemed[0]!.form.get('code_verifier')).toMatch(/^[\w-]{43}$/)
  })

  it('has another nonce, where the provider looks at no verifier', async () => {
    const { openBrowser } = await setUpLogin({ broker, provider: { checksPkce: false } })
    const [victim, attacker] = [openBrowser(), openBrowser()]
    const stolen = fieldOf(await victim.logInThere(), 'code')

    await expectRefused(attacker, withField(await attacker.logInThere(), 'code', stolen))
  })
})

describe('a cookie that somebody else has put into the browser', () => {
  it('has not the name that only this host can give', async () => {
    const { openBrowser } = await setUpLogin({ broker })
    const [attacker, victim] = [openBrowser(), openBrowser()]
    const path = await attacker.logInThere()
    // Browsers take `__Host-` from this very host, over TLS, and for all of its paths only.
    victim.cookies.set('warren_login', attacker.cookies.get(cookieName)!)

    await expectRefused(victim, path)
  })

  it.each(['first', 'last'])('counts for nothing beside that of the server: %s', async (place) => {
    const { openBrowser, app } = await setUpLogin({ broker, oidc: { publicUrl: 'http://localhost:15680' } })
    const [attacker, victim] = [openBrowser(), openBrowser()]
    const path = await attacker.logInThere()
    await victim.logInThere()
    const values = [attacker, victim].map(({ cookies }) => `warren_login=${cookies.get('warren_login')}`)

    const answer = await app.inject({
      url: path,
      headers: { cookie: (place === 'first' ? values : values.toReversed()).join('; ') },
    })

    expect(answer.json<Problem>().code).toBe('OIDC_LOGIN_REFUSED')
    expect(answer.cookies.map(({ name }) => name)).toEqual(['warren_login'])
  })

  it('is no session, nor is a session a login', async () => {
    const rig = { env: { WARREN_SESSION_KEY: 'one key for sessions and for logins' } }
    const { openBrowser } = await setUpLogin({ broker, rig })
    const [browser, other] = [openBrowser(), openBrowser()]
    await browser.logIn()
    const path = await other.logInThere()
    const swapped = openBrowser()
    swapped.cookies.set('__Host-warren_session', other.cookies.get(cookieName)!)

    expect((await swapped.get('/api/v1/my/permissions')).statusCode).toBe(401)
    swapped.cookies.clear()
    swapped.cookies.set(cookieName, browser.cookies.get('__Host-warren_session')!)
    await expectRefused(swapped, path)
  })
})

describe('an ID token', () => {
  const now = Math.floor(Date.now() / 1_000)
  it.each<[string, Record<string, unknown>]>([
    ['with the nonce of another login', { nonce: 'x'.repeat(43) }],
    ['without a nonce', { nonce: undefined }],
    ['that never ends', { exp: undefined }],
    ['that has ended', { exp: now - 3_600 }],
    ['that is not yet', { nbf: now + 3_600 }],
    ['of no time', { iat: undefined }],
    ['of nobody', { sub: undefined }],
    ['with an empty name', { sub: '' }],
    ['with a name of spaces', { sub: '  ' }],
    ['for programs', { aud: 'warren' }],
    ['for somebody else', { aud: 'another-client' }],
    ['for several, of which nobody knows who asked', { aud: [clientId, 'another-client'] }],
    ['that somebody else asked for', { aud: [clientId, 'another-client'], azp: 'another-client' }],
    ['of another issuer', { iss: 'https://evil.example' }],
  ])('%s opens nothing', async (_, claims) => {
    const { openBrowser, provider } = await setUpLogin({ broker })
    provider.logInAs({ sub: 'dana', roles: ['sre'], ...claims })
    const browser = openBrowser()

    await expectRefused(browser, await browser.logInThere())
  })

  it('that nobody signed opens nothing', async () => {
    const { openBrowser, provider } = await setUpLogin({ broker })
    const browser = openBrowser()
    const { headers } = await browser.get(loginPath)
    const { searchParams } = new URL(String(headers.location))
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = { iss: provider.issuer, aud: clientId, sub: 'dana', roles: ['sre'], iat: now }
    const forged = { ...claims, exp: now + 300, nonce: searchParams.get('nonce') }
    provider.answerTokenNext(
      200,
      JSON.stringify({ id_token: `${encode({ alg: 'none' })}.${encode(forged)}.` }),
    )
    const query = new URLSearchParams({ code: 'x', state: searchParams.get('state')!, iss: provider.issuer })

    await expectRefused(browser, `/api/v1/oidc/callback?${query}`)
  })

  it('for several that this server asked for is taken', async () => {
    const { openBrowser, provider } = await setUpLogin({ broker })
    provider.logInAs({ sub: 'dana', roles: ['sre'], aud: [clientId, 'another'], azp: clientId })

    expect((await openBrowser().logIn()).statusCode).toBe(200)
  })
})

it('only a page of this server is gone to afterwards', async () => {
  const { openBrowser } = await setUpLogin({ broker })
  const elsewhere = [
    ...['https://evil.example/', '//evil.example', '/\\evil.example', '\\/evil.example', '/\t/evil.example'],
    ...['/.//evil.example', '/a/..//evil.example', 'javascript:alert(1)', 'evil.example', '', ' /docs'],
    // Not meant by whoever follows the link, and answered with what their session may see.
    ...['/api/v1/dlqs/orders.dlq/backup', '/%61pi/v1/audit', '/x/../admin/dlq/queues', '/api', '/%zz'],
  ]

  const answers = await Promise.all(
    elsewhere.map((path) => openBrowser().get(`${loginPath}?returnTo=${encodeURIComponent(path)}`)),
  )

  expect(elsewhere.filter((_, at) => answers[at]!.statusCode !== 400)).toEqual([])
  expect(answers.filter(({ headers }) => headers.location !== undefined)).toEqual([])
})

it('a viewer who logs in again and again fills no log', async () => {
  const rig = await setUpLogin({ broker, limits: { viewerChanges: 1 } })
  const person = namePerTry('val')
  rig.provider.logInAs({ sub: person, roles: ['staff'] })

  const statuses: number[] = []
  for (let at = 0; at < 4; at += 1) statuses.push((await rig.openBrowser().logIn()).statusCode)

  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  const audit = await rig.app.inject({ url: `/api/v1/audit?by=${person}`, headers: broker.headers })
  expect(audit.json<AuditPage>().items).toHaveLength(statuses.filter((status) => status === 200).length)
})
