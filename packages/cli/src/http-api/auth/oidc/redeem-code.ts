import type { ApiError } from 'warrenmq/operations'
import { loginRefused, quoteForLog, sayRefusal } from './login-refused.ts'
import { providerTimeoutMs, providerUnavailable } from './oidc-provider.ts'

export interface CodeToRedeem {
  readonly issuer: string
  readonly tokenUrl: string
  readonly secretWays: readonly string[]
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly redirectUri: string
  readonly code: string
  readonly verifier: string
}

/** Gets the ID token for a code, from the provider itself. Whatever else it gives is not kept. */
export async function redeemCode(asked: CodeToRedeem): Promise<string> {
  const { issuer, code, verifier, clientSecret } = asked
  const { isOk, status, answer } = await askFor(asked)
  if (isOk && typeof answer.id_token === 'string') return answer.id_token
  const { error, error_description: description } = answer
  const said = quoteForLog(`${String(error)}: ${String(description)}`, [code, verifier, clientSecret])
  if (typeof error === 'string' && status < 500) throw refusal(error, said)
  throw providerUnavailable(issuer, new Error(`Its token endpoint answers ${status} without an ID token.`))
}

function refusal(error: string, said: string): ApiError {
  return loginRefused(sayRefusal(error), `The token endpoint answered ${said}`)
}

interface TokenAnswer {
  readonly isOk: boolean
  readonly status: number
  readonly answer: Readonly<Record<string, unknown>>
}

async function askFor(asked: CodeToRedeem): Promise<TokenAnswer> {
  const { issuer, tokenUrl, code, verifier, redirectUri } = asked
  const { headers, fields } = showSecret(asked)
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...fields,
  })
  try {
    const response = await fetch(tokenUrl, {
      method: 'POST',
      headers: { accept: 'application/json', ...headers },
      body,
      redirect: 'error', // elsewhere nobody is to get the secret
      signal: AbortSignal.timeout(providerTimeoutMs),
    })
    const answer = (await response.json()) as TokenAnswer['answer'] | null
    return { isOk: response.ok, status: response.status, answer: answer ?? {} }
  } catch (cause) {
    throw providerUnavailable(issuer, cause)
  }
}

interface ShownSecret {
  readonly headers: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, string>>
}

/** By the header unless the provider only reads bodies; without a secret by name alone. */
function showSecret({ clientId, clientSecret, secretWays }: CodeToRedeem): ShownSecret {
  if (clientSecret === undefined) return { headers: {}, fields: { client_id: clientId } }
  const isInBody = !secretWays.includes('client_secret_basic') && secretWays.includes('client_secret_post')
  if (isInBody) return { headers: {}, fields: { client_id: clientId, client_secret: clientSecret } }
  const pair = `${formEncode(clientId)}:${formEncode(clientSecret)}`
  return { headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }, fields: {} }
}

/** As RFC 6749 wants both halves, so that a colon stands between them only. */
function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}
