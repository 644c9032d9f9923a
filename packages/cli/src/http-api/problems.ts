import { WarrenError } from 'warrenmq'
import { ApiError, type ApiErrorCode } from 'warrenmq/operations'
import type { Problem } from './contract/problem.ts'

/** The answer that explains an error, as RFC 9457 has it. What we did not foresee is told to the log only. */
export function problemOf(error: unknown): Problem {
  if (error instanceof WarrenError) return problemOfOurs(error)
  const { statusCode = 500, message = '' } = error as { statusCode?: number; message?: string }
  if (error instanceof URIError)
    return statusCode === 414
      ? describe('API_REQUEST_INVALID', 414, 'A name in the address is longer than any name can be.')
      : describe('API_REQUEST_INVALID', 400, 'A name is not valid Unicode.')
  if (statusCode === 404)
    return describe('API_NOT_FOUND', 404, 'There is nothing at this address. See /docs.')
  // Of fastify's own errors those below 500 are about the request and name a field of it.
  return statusCode >= 400 && statusCode < 500
    ? describe('API_REQUEST_INVALID', statusCode, `${asSentence(message)} See /docs for what is expected.`)
    : failed
}

function asSentence(words: string): string {
  return /[.?!]$/.test(words) ? words : `${words}.`
}

function problemOfOurs({ code, message }: WarrenError): Problem {
  const status = Object.hasOwn(statusByCode, code) ? statusByCode[code]! : 'inside'
  // A fault inside is nobody's business outside.
  if (status === 'inside') return failed
  return typeof status === 'number' ? describe(code, status, message) : describe(code, 503, status)
}

/** What a code is told as, without the words of one case. */
export function problemOfCode(code: string): Problem {
  const status = statusByCode[code] ?? 'inside'
  if (status === 'inside') return failed
  return describe(code, typeof status === 'number' ? status : 503, 'What happened and what to do about it.')
}

/** Of what is no HTTP, or more of it than is read. Its status says which. */
export function malformedProblem(status: 400 | 408 | 413 | 414 | 417 | 431, detail: string): Problem {
  return describe('API_HTTP_MALFORMED', status, detail)
}

/** Of an address that is there, and takes other methods. */
export function methodNotAllowed(method: string, allowed: readonly string[]): ApiError {
  const instead = allowed.length === 0 ? 'See /docs.' : `Use ${allowed.join(', ')}. See /docs.`
  const message = `This address does not support ${method}. ${instead}`
  return new ApiError({ code: 'API_METHOD_NOT_ALLOWED', message })
}

export function retryAfterOf(error: unknown): number | undefined {
  return error instanceof ApiError ? error.retryAfterSeconds : undefined
}

// Such a message names hosts, accounts and files of the server, which are for its log; who asked is told what to do.
const away = 'The server is not connected to RabbitMQ right now. Try again; its log says more.'
const refused =
  'RabbitMQ refused what the server asked for, for example because the account of the server lacks a permission. The server log says more.'
const foreign =
  'The management API that the server was given does not belong to its broker, so the server does not use it. The server log says more.'
const slow =
  'RabbitMQ did not answer the server in time, and may or may not have done what was asked. Check before you try again.'
const busy = 'The server has too many operations in flight with RabbitMQ. Try again in a moment.'
const unkept =
  'The server could not read or write a backup; its log says why. Check what is in the queue, and that the disk has room.'

/**
 * What each code is to who asked: a status, where its own message is told; other words, told with 503; or `inside` for
 * a mistake of ours, and for what happens to nobody who asks.
 */
export const statusByCode: Readonly<Record<string, number | 'inside' | (string & {})>> = {
  API_REQUEST_INVALID: 400,
  API_NOT_AUTHENTICATED: 401,
  API_CREDENTIALS_EXPIRED: 401,
  API_ACCOUNT_UNCHECKED: 503,
  API_FORBIDDEN: 403,
  API_CSRF_REFUSED: 403,
  API_NOT_FOUND: 404,
  API_METHOD_NOT_ALLOWED: 405,
  API_NOT_ACCEPTABLE: 406,
  API_HTTP_MALFORMED: 400,
  API_TASK_ENDED: 409,
  API_TASK_UNPROVED: 409,
  API_TASK_NOT_ENDED: 409,
  API_EDIT_INTERRUPTED: 409,
  API_APPROVAL_NEEDED: 403,
  API_APPROVAL_DECIDED: 409,
  API_KEY_REUSED: 422,
  API_REQUEST_UNDER_WAY: 409,
  API_APPROVAL_UNPROVED: 403,
  API_PLAN_CHANGED: 409,
  API_NOTHING_TO_MOVE: 409,
  API_TOO_LARGE: 413,
  API_NO_BACKUP_FOLDER: 409,
  API_BACKUP_IN_USE: 409,
  API_BACKUP_NEEDED: 409,
  API_SNAPSHOT_ELSEWHERE: 409,
  API_SNAPSHOT_NO_ROOM: 409,
  API_TOO_MANY_ATTEMPTS: 429,
  API_BUSY: 503,
  API_FAILED: 'inside',
  AUDIT_UNAVAILABLE: 503,
  TASKS_UNAVAILABLE: 503,
  NOTICES_UNAVAILABLE: 503,
  OIDC_UNAVAILABLE: 503,
  OIDC_LOGIN_REFUSED: 401,
  FILTER_INVALID: 400,
  INVALID_ARGUMENT: 400,
  RECOVERY_QUEUE_NOT_FOUND: 404,
  RECOVERY_LOCKED: 409,
  RECOVERY_LOOK_REFUSED: 409,
  RECOVERY_MOVED_ASIDE: 409,
  RECOVERY_INTERRUPTED: 503,
  RECOVERY_HELD_TOO_LONG: 503,
  RECOVERY_NO_LEADER: 503,
  RECOVERY_EDIT_TOO_LARGE: 413,
  BACKUP_INVALID: unkept,
  BACKUP_NOT_WRITTEN: unkept,
  FILE_NOT_WRITTEN: unkept,
  CONNECTION_BAD_URL: away,
  CONNECTION_REFUSED: away,
  CONNECTION_TIMEOUT: away,
  CONNECTION_NOT_AMQP: away,
  CONNECTION_TLS_FAILED: away,
  CONNECTION_AUTHENTICATION_REFUSED: away,
  CONNECTION_VHOST_NOT_FOUND: away,
  CONNECTION_ACCESS_REFUSED: away,
  CONNECTION_LIMIT_REACHED: away,
  CONNECTION_MESSAGE_TOO_LARGE: away,
  CONNECTION_LOST: away,
  CONNECTION_HEARTBEAT_MISSED: away,
  CONNECTION_CLOSED_BY_BROKER: away,
  CONNECTION_CLOSED: away,
  CHANNEL_CLOSED: away,
  CHANNEL_CLOSED_BY_BROKER: refused,
  CHANNEL_LIMIT_REACHED: busy,
  CHANNEL_TIMEOUT: slow,
  PUBLISH_ABORTED: 'inside',
  PUBLISH_DEADLINE: slow,
  PUBLISH_QUEUE_FULL: busy,
  PUBLISH_RETURN_UNMATCHED: busy,
  PUBLISHER_CLOSED: away,
  MANAGEMENT_BAD_URL: refused,
  MANAGEMENT_UNREACHABLE: away,
  MANAGEMENT_TIMEOUT: slow,
  MANAGEMENT_UNAUTHORIZED: refused,
  MANAGEMENT_FORBIDDEN: refused,
  MANAGEMENT_NOT_FOUND: refused,
  MANAGEMENT_REFUSED: refused,
  MANAGEMENT_UNEXPECTED_ANSWER: refused,
  MANAGEMENT_NOT_PROVED: foreign,
  // Of the wire, of programs that consume, of the command line, and of a server that does not start.
  WIRE_TRUNCATED: 'inside',
  WIRE_TRAILING_BYTES: 'inside',
  WIRE_TOO_LARGE: 'inside',
  WIRE_TOO_DEEP: 'inside',
  WIRE_UNKNOWN_TAG: 'inside',
  WIRE_UNKNOWN_METHOD: 'inside',
  WIRE_BAD_FRAME: 'inside',
  WIRE_BAD_VALUE: 'inside',
  WIRE_UNEXPECTED: 'inside',
  TOPOLOGY_INVALID: 'inside',
  DEPLOYMENT_INCOMPLETE: 'inside',
  DEPLOYMENT_REFUSED: 'inside',
  MESSAGE_UNDECODABLE: 'inside',
  MESSAGE_INVALID: 'inside',
  MESSAGE_UNKNOWN: 'inside',
  MESSAGE_TOO_LARGE: 'inside',
  HANDLER_TIMEOUT: 'inside',
  HTTP_DELIVERY_FAILED: 'inside',
  CONSUMER_CLOSING: 'inside',
  HANDLER_ANSWER_WRONG: 'inside',
  RETRYING_SETTLES: 'inside',
  WAY_OUT_BROKEN: 'inside',
  WAY_OUT_UNPROVED: 'inside',
  CONFIG_NOT_FOUND: 'inside',
  CONFIG_UNREADABLE: 'inside',
  CONFIG_INVALID: 'inside',
  CONFIG_EXISTS: 'inside',
  RECEIPT_INVALID: 'inside',
  EMBEDDED_PORT_UNAVAILABLE: 'inside',
  EMBEDDED_DEFINITIONS_REFUSED: 'inside',
  EMBEDDED_NEVER_SETTLES: 'inside',
  EMBEDDED_STILL_IN_HAND: 'inside',
  EMBEDDED_PASSED_OVER: 'inside',
  SERVER_UNPROTECTED: 'inside',
  SERVER_PORT_UNAVAILABLE: 'inside',
  AUDIT_BROKEN: 'inside',
} satisfies Partial<Record<ApiErrorCode, number | string>> & Record<string, number | string>

const titles: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'Who are you?',
  403: 'You may not do this',
  404: 'Not found',
  405: 'Method not allowed',
  406: 'Not acceptable',
  408: 'The request took too long',
  409: 'Not now',
  413: 'The request is too large',
  414: 'The address is too long',
  415: 'Unsupported media type',
  417: 'Expectation failed',
  422: 'The request differs from the earlier one',
  429: 'Too many attempts',
  431: 'The headers are too large',
  500: 'Server error',
  503: 'Not available right now',
}

const failed = describe(
  'API_FAILED',
  500,
  'The server made a mistake. Its log says more; please report it with the log line.',
)

function describe(code: string, status: number, detail: string): Problem {
  return { type: `urn:warren:problem:${code}`, title: titles[status] ?? 'Refused', status, detail, code }
}
