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
  access_denied:
    'The provider refused the login, or you declined. Log in again, or ask the people who run the provider.',
  login_required: 'The provider wants you to log in there first. Log in again.',
  interaction_required: 'The provider wants to ask you something first. Log in again.',
  account_selection_required: 'The provider wants you to choose an account first. Log in again.',
  consent_required:
    'The provider needs your consent, or that of an administrator. Log in again, or ask there.',
  invalid_grant:
    'The provider does not accept this login: it is too old, was already used, or is a different one. Log in again.',
  server_error: 'The provider has a problem right now. Try again later.',
  temporarily_unavailable: 'The provider is too busy right now. Try again later.',
}

/** What a provider's refusal means. Its code may be anything, since it comes by way of the browser. */
export function sayRefusal(code: string): string {
  if (Object.hasOwn(sentences, code)) return sentences[code]!
  const named = /^[a-z_]{1,64}$/.test(code) ? ` (${code})` : ''
  return `The provider does not let anybody log in through this server${named}. The server log says more.`
}

/** What somebody else wrote, for the log: short, and without what must stand in no log. */
export function quoteForLog(text: string, secrets: readonly (string | undefined)[] = []): string {
  const hidden = secrets.reduce<string>(
    (left, secret) => (secret ? left.replaceAll(secret, '***') : left),
    text,
  )
  return hidden.slice(0, 500)
}
