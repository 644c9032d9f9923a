import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type {
  AuditPage,
  CurrentSession,
  LoginWays,
  Problem,
} from '../../../packages/cli/src/http-api/contract/contract.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { setUpApi } from './api-rig.ts'
import { clientId } from './oidc-provider.ts'
import { loginPath, openBrowser, setUpLogin } from './oidc-rig.ts'
import { useApiBroker } from './use-api-broker.ts'

const broker = await useApiBroker()
const session = '/api/v1/session'
const page = { accept: 'text/html,application/xhtml+xml' }

describe('a browser that logs in at the provider', () => {
  it('asks for a code that nobody else can redeem', async () => {
    const { openBrowser, provider } = await setUpLogin({ broker, oidc: { scopes: ['openid', 'email'] } })

    const { statusCode, headers } = await openBrowser().get(loginPath)

    expect(statusCode).toBe(302)
    expect(headers['cache-control']).toBe('no-store')
    const url = new URL(String(headers.location))
    expect(url.origin + url.pathname).toBe(`${provider.issuer}/authorize`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      tenant: 'one',
      response_type: 'code',
      client_id: clientId,
      scope: 'openid email',
      redirect_uri: 'https://warren.example/api/v1/oidc/callback',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
  })

  it('has a session with the role that the provider gives', async () => {
    const rig = await setUpLogin({ broker })
    const browser = rig.openBrowser()

    const answer = await browser.logIn()
    const current = await browser.get(session)

    expect(answer.statusCode, answer.body).toBe(200)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(current.json<CurrentSession>()).toMatchObject({
      name: 'dana',
      role: 'operator',
      wayIn: 'oidc',
      vhost: broker.vhost,
      csrfToken: expect.stringMatching(/^[\w-]{43}$/),
      expiresAt: expect.any(String),
    })
    const { headers } = broker
    const audit = await rig.app.inject({ url: '/api/v1/audit', headers })
    expect(audit.json<AuditPage>().items[1]).toMatchObject({
      action: 'session.open',
      by: 'dana',
      wayIn: 'oidc',
    })
  })

  it('keeps both cookies from scripts, from plain HTTP and from hosts beside this one', async () => {
    const { openBrowser } = await setUpLogin({ broker })
    const browser = openBrowser()

    const begun = await browser.get(loginPath)
    const done = await browser.logIn()

    expect(begun.cookies).toMatchObject([
      { name: '__Host-warren_login', path: '/', httpOnly: true, secure: true, sameSite: 'Lax' },
    ])
    expect(String(begun.headers['set-cookie'])).not.toMatch(/domain/i)
    expect(done.cookies.find(({ name }) => name === '__Host-warren_session')).toMatchObject({
      path: '/',
      httpOnly: true,
      secure: true,
      sameSite: 'Strict',
    })
    expect([...browser.cookies.keys()]).toEqual(['__Host-warren_session'])
  })

  it.each([
    ['', 'https://warren.example/'],
    ['?returnTo=/docs', 'https://warren.example/docs'],
    ['?returnTo=%2Fdlqs%3Fa%3D%22%3E%26b%3D2%23c', 'https://warren.example/dlqs?a=%22%3E&amp;b=2#c'],
  ])('is led on by the page: %s', async (query, url) => {
    const { openBrowser } = await setUpLogin({ broker })

    const { body } = await openBrowser().logIn(`${loginPath}${query}`)

    // Not by the answer: a session that is strict is not sent along where the provider has begun it.
    expect(body).toContain(`<meta http-equiv="refresh" content="0;url=${url}">`)
  })

  it('goes and comes back under the path that a proxy leaves', async () => {
    const publicUrl = 'https://example.com/ops/warren'
    const { openBrowser } = await setUpLogin({ broker, oidc: { publicUrl }, path: '/ops/warren' })
    const browser = openBrowser()
    const returnTo = (path: string) => `/ops/warren${loginPath}?returnTo=${encodeURIComponent(path)}`

    const begun = await browser.get(`/ops/warren${loginPath}`)
    const { body } = await browser.logIn(returnTo('/ops/warren/console/tasks'))
    const elsewhere = await Promise.all(
      ['/console/', '/ops', '/ops/warrens', '/ops/warren/api/v1/audit', '/ops/warren/../x'].map((path) =>
        browser.get(returnTo(path)),
      ),
    )

    const redirectUri = new URL(String(begun.headers.location)).searchParams.get('redirect_uri')
    expect(redirectUri).toBe(`${publicUrl}/api/v1/oidc/callback`)
    expect(body).toContain('content="0;url=https://example.com/ops/warren/console/tasks"')
    expect((await openBrowser().logIn(`/ops/warren${loginPath}`)).body).toContain(`url=${publicUrl}/"`)
    expect(elsewhere.map(({ statusCode }) => statusCode)).toEqual([400, 400, 400, 400, 400])
  })

  it('can change something with the token of its session', async () => {
    const { openBrowser, app } = await setUpLogin({ broker })
    const browser = openBrowser()
    await browser.logIn()
    const cookie = `__Host-warren_session=${browser.cookies.get('__Host-warren_session')}`
    const { csrfToken } = (await browser.get(session)).json<CurrentSession>()

    const without = await app.inject({ method: 'DELETE', url: session, headers: { cookie } })
    const out = await app.inject({
      method: 'DELETE',
      url: session,
      headers: { cookie, 'x-csrf-token': csrfToken! },
    })

    expect([without.statusCode, out.statusCode]).toEqual([403, 204])
    expect((await browser.get(session)).statusCode).toBe(401)
  })

  it('may begin at one server and come back to another', async () => {
    const rig = { env: { WARREN_SESSION_KEY: 'shared by both servers of the test' } }
    const one = await setUpLogin({ broker, rig })
    const { issuer } = one.provider
    const auth = {
      issuer,
      audience: 'warren',
      clientId,
      publicUrl: 'https://warren.example',
      roles: { sre: 'operator' },
    }
    const two = await setUpApi({ ...broker, ...rig, server: { auth: { oidc: auth } } })
    const other = await setUpApi({ ...broker, server: { auth: { oidc: auth } } })
    const browser = one.openBrowser()
    const path = await browser.logInThere()
    const headers = { cookie: `__Host-warren_login=${browser.cookies.get('__Host-warren_login')}` }

    const stranger = await other.app.inject({ url: path, headers })
    const known = await two.app.inject({ url: path, headers })

    expect([stranger.statusCode, known.statusCode]).toEqual([401, 200])
  })
})

describe('the secret of the server', () => {
  const clientSecret = 's3cret: with % & spaces'

  it.each([
    ['in a header, where the provider says nothing of it', undefined, 'authorization'],
    ['in the body, where the provider reads that only', ['client_secret_post'], 'body'],
  ])('is shown %s', async (_, secretWays, place) => {
    const provider = { clientSecret, ...(secretWays && { secretWays }) }
    const rig = { env: { WARREN_OIDC_CLIENT_SECRET: clientSecret } }
    const login = await setUpLogin({ broker, provider, rig })

    const answer = await login.openBrowser().logIn()

    expect(answer.statusCode, answer.body).toBe(200)
    const [{ headers, form }] = login.provider.redeemed as [(typeof login.provider.redeemed)[number]]
    expect(headers.authorization === undefined).toBe(place === 'body')
    expect(form.has('client_secret')).toBe(place === 'body')
  })

  it('may stand in a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'warren-oidc-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const clientSecretFile = join(folder, 'secret')
    writeFileSync(clientSecretFile, `${clientSecret}\n`)
    const { openBrowser } = await setUpLogin({
      broker,
      provider: { clientSecret },
      oidc: { clientSecretFile },
    })

    expect((await openBrowser().logIn()).statusCode).toBe(200)
  })

  it('is not needed where the client is public', async () => {
    const { openBrowser, provider } = await setUpLogin({ broker })

    await openBrowser().logIn()

    expect(provider.redeemed).toHaveLength(1)
    expect(provider.redeemed[0]!.headers.authorization).toBeUndefined()
    expect(provider.redeemed[0]!.form.get('client_id')).toBe(clientId)
  })
})

it('somebody who is named as an account of RabbitMQ is not that account', async () => {
  const { openBrowser, provider } = await setUpLogin({ broker })
  const name = namePerTry('twin')
  await broker.createAccount(name, { tag: 'administrator' })
  provider.logInAs({ sub: broker.nameOf(name), roles: ['staff'] })
  const browser = openBrowser()
  await browser.logIn()

  const { role } = (await browser.get(session)).json<CurrentSession>()

  expect(role).toBe('viewer')
})

it('somebody without a role here is told so, and has no session', async () => {
  const { openBrowser, provider } = await setUpLogin({ broker })
  provider.logInAs({ sub: 'dana', roles: ['guest'] })
  const browser = openBrowser()

  const answer = await browser.logIn()

  expect(answer.json<Problem>()).toMatchObject({ status: 403, code: 'API_FORBIDDEN' })
  expect([...browser.cookies.keys()]).toEqual([])
})

describe('logging out of the provider', () => {
  it('goes by its own page, without a token in the address', async () => {
    const { openBrowser, provider } = await setUpLogin({ broker })

    const { statusCode, headers } = await openBrowser().get('/api/v1/oidc/logout')

    expect(statusCode).toBe(302)
    const url = new URL(String(headers.location))
    expect(url.origin + url.pathname).toBe(`${provider.issuer}/logout`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: clientId,
      post_logout_redirect_uri: 'https://warren.example/',
    })
  })

  it('leads back where the provider has no such page', async () => {
    const { openBrowser } = await setUpLogin({ broker, provider: { canLogOut: false } })

    const { headers } = await openBrowser().get('/api/v1/oidc/logout')

    expect(headers.location).toBe('https://warren.example/')
  })
})

describe('how a browser can log in', () => {
  it('is told to anybody', async () => {
    const { openBrowser } = await setUpLogin({ broker })

    const { statusCode, body } = await openBrowser().get('/api/v1/session/ways')

    expect([statusCode, JSON.parse(body) as LoginWays]).toEqual([
      ...[200, { isOpen: false, hasAccounts: true, oidcLogin: loginPath }],
    ])
  })

  it('is without the provider where only programs come by it', async () => {
    const oidc = { issuer: 'https://id.example', audience: 'warren', roles: { sre: 'operator' } }
    const browser = openBrowser(await setUpApi({ ...broker, server: { auth: { oidc, accounts: false } } }))

    const ways = await browser.get('/api/v1/session/ways')
    const login = await browser.get(loginPath)

    expect(ways.json()).toEqual({ isOpen: false, hasAccounts: false, oidcLogin: null })
    expect(login.json<Problem>()).toMatchObject({ status: 404, code: 'API_NOT_FOUND' })
  })
})

describe('what goes wrong at the provider', () => {
  it.each([
    ['access_denied', 'The provider refused the login, or you declined.'],
    ['temporarily_unavailable', 'The provider is too busy right now. Try again later.'],
    ['unauthorized_client', 'does not let anybody log in through this server (unauthorized_client).'],
    ['<b>toString</b>', 'does not let anybody log in through this server. The server log says more'],
  ])('is told in a sentence: %s', async (error, sentence) => {
    const { openBrowser, provider } = await setUpLogin({ broker })
    provider.answerNext({ error, error_description: '<script>alert(1)</script>' })
    const browser = openBrowser()

    const { statusCode, headers, body } = await browser.get(await browser.logInThere(), page)

    expect([statusCode, headers['content-type']]).toEqual([401, 'text/html; charset=utf-8'])
    expect(body).toContain(sentence)
    expect(body).not.toMatch(/script|<b>/)
  })

  it.each<[string, number, string, number, string]>([
    ['does not know the client', 401, '{"error":"invalid_client"}', 401, 'OIDC_LOGIN_REFUSED'],
    ['takes no such code', 400, '{"error":"invalid_grant"}', 401, 'OIDC_LOGIN_REFUSED'],
    ['gives no ID token', 200, '{"access_token":"x"}', 503, 'OIDC_UNAVAILABLE'],
    ['answers with nothing', 200, 'null', 503, 'OIDC_UNAVAILABLE'],
    ['answers with a page', 502, '<html>', 503, 'OIDC_UNAVAILABLE'],
    ['gives a token that is none', 200, '{"id_token":"x"}', 401, 'OIDC_LOGIN_REFUSED'],
  ])('is no fault of the server: it %s', async (_, status, body, expected, code) => {
    const { openBrowser, provider } = await setUpLogin({ broker })
    const browser = openBrowser()
    const path = await browser.logInThere()
    provider.answerTokenNext(status, body)

    const answer = await browser.get(path)

    expect(answer.json<Problem>()).toMatchObject({ status: expected, code })
  })

  it('that it is down is told, and it is asked again by the next', async () => {
    const { openBrowser, provider } = await setUpLogin({ broker })
    provider.setUp(false)
    const down = await openBrowser().get(loginPath, page)
    provider.setUp(true)

    const up = await openBrowser().get(loginPath, page)

    expect([down.statusCode, up.statusCode]).toEqual([503, 302])
    expect(down.body).toContain('does not answer properly')
  })
})

it('tokens and secrets reach neither the browser nor the log', async () => {
  const lines: string[] = []
  const clientSecret = 'the secret of the server'
  const { openBrowser, provider } = await setUpLogin({
    broker,
    provider: { clientSecret },
    rig: {
      env: { WARREN_OIDC_CLIENT_SECRET: clientSecret },
      logger: { level: 'trace', stream: { write: (line: string) => void lines.push(line) } },
    },
  })
  const [good, bad] = [openBrowser(), openBrowser()]
  const answers = [await good.logIn(), await good.get(session)]
  const path = await bad.logInThere()
  const code = new URL(path, 'https://warren.example').searchParams.get('code')!
  const error_description = `The code ${code} of a client with ${clientSecret} is not known.`
  provider.answerTokenNext(400, JSON.stringify({ error: 'invalid_grant', error_description }))

  answers.push(await bad.get(path))

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 401])
  const seen = answers.map(({ body, headers }) => `${body} ${JSON.stringify(headers)}`).join('\n')
  const log = lines.join('\n')
  const verifiers = provider.redeemed.map(({ form }) => form.get('code_verifier')!)
  const secrets = [...provider.secrets, ...verifiers, clientSecret]
  expect(secrets.length).toBeGreaterThan(5)
  expect(secrets.filter((secret) => seen.includes(secret))).toEqual([])
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([])
  expect(log).toContain('The code *** of a client with *** is not known.')
})
