import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

/** What a test provider does otherwise than a good one. */
export interface ProviderSettings {
  /** The client must show it. @default none, a public client */
  readonly clientSecret?: string
  /** @default what providers do that say nothing of it */
  readonly secretWays?: readonly string[]
  /** Names itself in its answers, and says so beforehand. @default true */
  readonly isNamedInAnswers?: boolean
  /** False: it takes a code from whoever has it. @default true */
  readonly checksPkce?: boolean
  /** @default true */
  readonly canLogOut?: boolean
}

/** A person at a provider, as the next tokens tell of them. */
type Claims = Readonly<Record<string, unknown>>

interface Issued {
  readonly nonce: string
  readonly challenge: string
  readonly redirectUri: string
  readonly claims: Claims
}

export interface TestProvider {
  readonly issuer: string
  /** The paths that were asked for, in their order. */
  readonly asked: string[]
  /** What came to the token endpoint. */
  readonly redeemed: { readonly headers: IncomingMessage['headers']; readonly form: URLSearchParams }[]
  /** All tokens and codes it has given out. */
  readonly secrets: string[]
  /** Who logs in from now on. A claim that is undefined is left out. */
  logInAs(claims: Claims): void
  /** What it says to the next browser instead of a code. */
  answerNext(fields: Readonly<Record<string, string>>): void
  /** What the token endpoint says next. */
  answerTokenNext(status: number, body: string): void
  /** Whether it answers at all. */
  setUp(isUp: boolean): void
  sign(claims: Claims, from?: string): Promise<string>
  close(): void
}

export const clientId = 'warren-console'

/** An OIDC provider with discovery, login without questions, tokens for codes (PKCE) and keys. */
export async function startOidcProvider(settings: ProviderSettings = {}): Promise<TestProvider> {
  const { isNamedInAnswers = true, checksPkce = true, canLogOut = true, clientSecret, secretWays } = settings
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const key = { ...(await exportJWK(publicKey)), kid: '1', alg: 'ES256' }
  const asked: string[] = []
  const secrets: string[] = []
  const redeemed: TestProvider['redeemed'] = []
  const codes = new Map<string, Issued>()
  let person: Claims = { sub: 'dana', roles: ['sre'] }
  let isUp = true
  let nextAnswer: Readonly<Record<string, string>> | undefined
  let nextTokenAnswer: { readonly status: number; readonly body: string } | undefined

  const sign: TestProvider['sign'] = async (claims, from = issuer) => {
    const now = Math.floor(Date.now() / 1_000)
    const payload: JWTPayload = { iss: from, iat: now, exp: now + 300, ...claims }
    const token = await new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: '1' }).sign(privateKey)
    secrets.push(token)
    return token
  }

  function authorize(query: URLSearchParams): string {
    const redirectUri = query.get('redirect_uri')!
    const back = new URL(redirectUri)
    const code = randomUUID()
    secrets.push(code)
    codes.set(code, {
      redirectUri,
      nonce: query.get('nonce')!,
      challenge: query.get('code_challenge')!,
      claims: person,
    })
    const iss = isNamedInAnswers ? { iss: issuer } : {}
    const answer = { ...iss, session_state: 'whatever', ...(nextAnswer ?? { code }) }
    nextAnswer = undefined
    back.searchParams.set('state', query.get('state')!)
    for (const [name, value] of Object.entries(answer)) back.searchParams.set(name, value)
    return back.href
  }

  async function redeem(request: IncomingMessage): Promise<{ status: number; body: string }> {
    const form = new URLSearchParams(await text(request))
    redeemed.push({ headers: request.headers, form })
    const planned = nextTokenAnswer
    nextTokenAnswer = undefined
    if (planned) return planned
    const refuse = (error: string) => ({ status: 400, body: JSON.stringify({ error }) })
    if (!showsSecret(request, form)) return refuse('invalid_client')
    const code = form.get('code') ?? ''
    const issued = codes.get(code)
    codes.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (!issued || form.get('redirect_uri') !== issued.redirectUri) return refuse('invalid_grant')
    if (checksPkce && challenge !== issued.challenge) return refuse('invalid_grant')
    const id_token = await sign({ aud: clientId, nonce: issued.nonce, ...issued.claims })
    const access_token = `access-${randomUUID()}`
    secrets.push(access_token)
    return { status: 200, body: JSON.stringify({ id_token, access_token, token_type: 'Bearer' }) }
  }

  function showsSecret({ headers }: IncomingMessage, form: URLSearchParams): boolean {
    if (clientSecret === undefined) return form.get('client_id') === clientId
    const ofBody = [form.get('client_id'), form.get('client_secret')]
    const basic = Buffer.from(headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString()
    const ofHeader = basic.split(':').map((each) => decodeURIComponent(each.replaceAll('+', ' ')))
    const shown = secretWays?.includes('client_secret_post') ? ofBody : ofHeader
    return shown[0] === clientId && shown[1] === clientSecret
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { pathname, searchParams } = new URL(request.url ?? '', issuer)
    asked.push(pathname)
    const json = (status: number, body: string) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    if (!isUp) return response.writeHead(503).end('down')
    if (pathname === '/.well-known/openid-configuration') return json(200, JSON.stringify(document))
    if (pathname === '/the/keys') return json(200, JSON.stringify({ keys: [key] }))
    if (pathname === '/authorize') return response.writeHead(302, { location: authorize(searchParams) }).end()
    if (pathname !== '/token' || request.method !== 'POST') return response.writeHead(404).end()
    const { status, body } = await redeem(request)
    return json(status, body)
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const document = {
    issuer,
    jwks_uri: `${issuer}/the/keys`,
    token_endpoint: `${issuer}/token`,
    authorization_endpoint: `${issuer}/authorize?tenant=one`,
    ...(canLogOut && { end_session_endpoint: `${issuer}/logout` }),
    ...(isNamedInAnswers && { authorization_response_iss_parameter_supported: true }),
    ...(secretWays && { token_endpoint_auth_methods_supported: secretWays }),
  }
  return {
    issuer,
    asked,
    secrets,
    redeemed,
    sign,
    logInAs: (claims) => {
      person = claims
    },
    answerNext: (fields) => {
      nextAnswer = fields
    },
    answerTokenNext: (status, body) => {
      nextTokenAnswer = { status, body }
    },
    setUp: (up) => {
      isUp = up
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
