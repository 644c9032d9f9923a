import { ApiError } from 'warrenmq/operations'

/**
 * Says in one sentence why somebody is not logged in.
 * @param why for the log of the server, with no secret in it
 */
export function loginRefused(message: string, why?: string): ApiError {
  return new ApiError(
    { code: 'OIDC_LOGIN_REFUSED', message },
    why === undefined ? {} : { cause: new Error(why) },
  )
}

/** What the codes of OAuth and OIDC mean for who sees them. What else a provider says is for the log. */
const sentences: Readonly<Record<string, string>> = {
  access_denied: 'The provider did not let you in, or you have declined. Log in again, or ask who runs it.',
  login_required: 'The provider wants you to log in there first. Log in again.',
  interaction_required: 'The provider wants to ask you something first. Log in again.',
  account_selection_required: 'The provider wants you to choose an account first. Log in again.',
  consent_required: 'The provider needs your consent, or that of who runs it. Log in again, or ask there.',
  invalid_grant:
    'The provider does not take this login: it is too old, was used, or is another one. Log in again.',
  server_error: 'The provider has a fault of its own now. Try again later.',
  temporarily_unavailable: 'The provider is too busy now. Try again later.',
}

/** What a provider's refusal means. Its code may be anything, since it comes by way of the browser. */
export function sayRefusal(code: string): string {
  if (Object.hasOwn(sentences, code)) return sentences[code]!
  const named = /^[a-z_]{1,64}$/.test(code) ? ` (${code})` : ''
  return `The provider does not let this server log anybody in${named}. Who runs the server finds more in its log.`
}

/** What somebody else wrote, for the log: short, and without what must stand in no log. */
export function quoteForLog(text: string, secrets: readonly (string | undefined)[] = []): string {
  const hidden = secrets.reduce<string>(
    (left, secret) => (secret ? left.replaceAll(secret, '***') : left),
    text,
  )
  return hidden.slice(0, 500)
}
