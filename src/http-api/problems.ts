import { ApiError, type ApiErrorCode, WarrenError } from '../errors.ts'
import type { Problem } from './contract.ts'

/** The answer that explains an error, as RFC 9457 has it. What we did not foresee is told to the log only. */
export function problemOf(error: unknown): Problem {
  if (error instanceof WarrenError) {
    const status = statusOf(error.code)
    // A message of ours may name hosts and files of the server; a fault inside is nobody's business outside.
    return status === 500 ? failed : describe(error.code, status, error.message)
  }
  if (error instanceof URIError) return describe('API_REQUEST_INVALID', 400, 'A name is not valid Unicode.')
  const { statusCode = 500, message = '' } = error as { statusCode?: number; message?: string }
  if (statusCode === 404)
    return describe('API_NOT_FOUND', 404, 'There is nothing at this address. See /docs.')
  // Of fastify's own errors those below 500 are about the request and name a field of it.
  return statusCode >= 400 && statusCode < 500
    ? describe('API_REQUEST_INVALID', statusCode, `${message}. See /docs for what is expected.`)
    : failed
}

export function retryAfterOf(error: unknown): number | undefined {
  return error instanceof ApiError ? error.retryAfterSeconds : undefined
}

const statusByCode: Readonly<Record<string, number>> = {
  API_REQUEST_INVALID: 400,
  API_NOT_AUTHENTICATED: 401,
  API_CREDENTIALS_EXPIRED: 401,
  API_ACCOUNT_UNCHECKED: 503,
  API_FORBIDDEN: 403,
  API_CSRF_REFUSED: 403,
  API_NOT_FOUND: 404,
  API_TASK_ENDED: 409,
  API_TASK_NOT_ENDED: 409,
  API_EDIT_INTERRUPTED: 409,
  API_APPROVAL_NEEDED: 403,
  API_APPROVAL_DECIDED: 409,
  API_PLAN_CHANGED: 409,
  API_TOO_LARGE: 413,
  API_NO_BACKUP_FOLDER: 409,
  API_TOO_MANY_ATTEMPTS: 429,
  API_BUSY: 503,
  AUDIT_UNAVAILABLE: 503,
  TASKS_UNAVAILABLE: 503,
  NOTICES_UNAVAILABLE: 503,
  OIDC_UNAVAILABLE: 503,
  FILTER_INVALID: 400,
  INVALID_ARGUMENT: 400,
  RECOVERY_QUEUE_NOT_FOUND: 404,
  RECOVERY_LOCKED: 409,
  RECOVERY_LOOK_REFUSED: 409,
  RECOVERY_INTERRUPTED: 503,
  RECOVERY_EDIT_TOO_LARGE: 413,
  MANAGEMENT_UNREACHABLE: 503,
  MANAGEMENT_TIMEOUT: 503,
} satisfies Partial<Record<ApiErrorCode, number>> & Record<string, number>

function statusOf(code: string): number {
  if (Object.hasOwn(statusByCode, code)) return statusByCode[code]!
  return /^(CONNECTION|CHANNEL)_/.test(code) ? 503 : 500
}

const titles: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'Who are you?',
  403: 'You may not do this',
  404: 'Not found',
  408: 'The request took too long',
  409: 'Not now',
  413: 'The request is too large',
  415: 'The request is of a type that is not read here',
  429: 'Too many attempts',
  500: 'A fault of the server',
  503: 'Not available now',
}

const failed = describe(
  'API_FAILED',
  500,
  'The server made a mistake. Its log says more; please report it with the log line.',
)

function describe(code: string, status: number, detail: string): Problem {
  return { type: `urn:warren:problem:${code}`, title: titles[status] ?? 'Refused', status, detail, code }
}
