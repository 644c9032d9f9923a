import { ManagementError } from '../../errors.ts'
import { RequestTimeout, ResponseTooLarge } from './http-request.ts'
import { asRecord, textField } from './json-record.ts'
import type { ManagementAddress } from './management-url.ts'

export interface FailureContext {
  readonly address: ManagementAddress
  /** What was to be read, in words: `queue "orders" in vhost "/"`. */
  readonly subject: string
  readonly timeoutMs: number
  readonly maxResponseBytes: number
}

/** Why no answer came, as an error with a way out. What the caller aborted stays the caller's own reason. */
export function explainNoAnswer(error: unknown, context: FailureContext): unknown {
  const place = placeOf(context.address)
  const what = `read ${context.subject}`
  if (error instanceof RequestTimeout) {
    return failure(
      'MANAGEMENT_TIMEOUT',
      `The management API at ${place} did not answer within ${context.timeoutMs} ms (${what}). ` +
        'The broker may be overloaded; try again or allow more time.',
    )
  }
  if (error instanceof ResponseTooLarge) {
    return failure(
      'MANAGEMENT_UNEXPECTED_ANSWER',
      `The answer of the management API at ${place} is larger than ${context.maxResponseBytes} bytes (${what}). ` +
        'Ask for one vhost, or raise maxResponseBytes.',
    )
  }
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  return code === undefined ? error : explainCode(code, { error, place, what })
}

function explainCode(code: string, fields: { error: unknown; place: string; what: string }): ManagementError {
  const { error: cause, place, what } = fields
  if (code.startsWith('HPE_') || code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return failure(
      'MANAGEMENT_UNEXPECTED_ANSWER',
      `The server at ${place} does not speak the protocol of the URL (${code}). ` +
        'Check that the port is the one of the management API (15672, with TLS 15671), not of AMQP, and that http or https is right.',
      { cause },
    )
  }
  if (/CERT|ALTNAME|SELF_SIGNED|SSL|TLS/.test(code)) {
    return failure(
      'MANAGEMENT_UNREACHABLE',
      `No trusted connection to the management API at ${place}: ${code}. ` +
        'Give the CA that signed its certificate, and a client certificate if it requires one.',
      { cause },
    )
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return failure(
      'MANAGEMENT_UNREACHABLE',
      `The connection to ${place} was closed before an answer came: ${code} (${what}). ` +
        'Try again if the broker is restarting; write https:// if it expects TLS.',
      { cause },
    )
  }
  return failure(
    'MANAGEMENT_UNREACHABLE',
    `Cannot reach the management API at ${place}: ${code} (${what}). ` +
      'Enable it with `rabbitmq-plugins enable rabbitmq_management`, or give its address with --management-url, ' +
      'MANAGEMENT_URL, or managementUrl in connect().',
    { cause },
  )
}

/** Why an answer is not the one wanted. */
export function explainStatus(status: number, body: string, context: FailureContext): ManagementError {
  const { subject, address } = context
  const what = `read ${subject}`
  const said = brokersWords(body)
  if (said === undefined && status >= 500) return brokerFailed(status, what, address)
  if (said === undefined) return notTheApi(context, `status ${status}`)
  if (status === 401 || status === 403) return explainNotAllowed(said, what, address)
  if (status === 404) return notFound(said, context)
  const message = `RabbitMQ refused to ${what} (status ${status}): ${said.reason}.`
  return failure('MANAGEMENT_REFUSED', message, { status })
}

// The broker fails with an empty body, a proxy in front of it with a page.
function brokerFailed(status: number, what: string, address: ManagementAddress): ManagementError {
  return failure(
    'MANAGEMENT_UNEXPECTED_ANSWER',
    `The management API at ${placeOf(address)} failed with status ${status} (${what}). The broker's log says why.`,
    { status },
  )
}

// Since 4.3 a vhost that the user may not access is reported as one that does not exist.
function notFound(said: BrokersWords, { subject, address }: FailureContext): ManagementError {
  const detail = /^not found$/i.test(said.reason) ? '' : `: ${said.reason}`
  const remedy = subject.includes('vhost "') ? ' Check the name, and the vhost (--vhost).' : ''
  return failure(
    'MANAGEMENT_NOT_FOUND',
    `There is no ${subject} at ${placeOf(address)} that the user "${address.username}" may see${detail}.${remedy}`,
    { status: 404 },
  )
}

/** An answer that is not JSON, or not the JSON that was asked for. */
export function notTheApi({ address, subject }: FailureContext, found: string): ManagementError {
  return failure(
    'MANAGEMENT_UNEXPECTED_ANSWER',
    `The server at ${placeOf(address)} is not RabbitMQ's management API (${found} to read ${subject}). ` +
      'Check the host, the port and the path of its address.',
  )
}

// RabbitMQ answers 401 both to a wrong password (not_authorized) and to a user who lacks a tag or a
// permission (not_authorised); only the spelling tells.
function explainNotAllowed(said: BrokersWords, what: string, address: ManagementAddress): ManagementError {
  const isLocalhostOnly = /localhost|loopback/i.test(said.reason)
  if (said.error !== 'not_authorized' && !isLocalhostOnly) return forbidden(said.reason, what, address)
  const remedy = isLocalhostOnly
    ? "The user guest may only log in on the broker's own machine; use another user"
    : 'Check the user name and the password in its address'
  return failure(
    'MANAGEMENT_UNAUTHORIZED',
    `The management API at ${placeOf(address)} refused the login of "${address.username}": ${said.reason}. ${remedy}.`,
    { status: 401 },
  )
}

function forbidden(reason: string, what: string, address: ManagementAddress): ManagementError {
  const tag = /not (?:an? )?(\w+) user/i.exec(reason)?.[1]?.toLowerCase()
  const remedy =
    tag === undefined
      ? 'It needs permissions on the vhost (rabbitmqctl set_permissions)'
      : `It needs the tag "${tag}" (rabbitmqctl set_user_tags)`
  return failure(
    'MANAGEMENT_FORBIDDEN',
    `The user "${address.username}" may not ${what} at ${placeOf(address)}: ${reason}. ${remedy}.`,
    { status: 403 },
  )
}

interface BrokersWords {
  readonly error: string
  readonly reason: string
}

/** Undefined when the body is not one of RabbitMQ's errors. */
function brokersWords(body: string): BrokersWords | undefined {
  const said = asRecord(parseJson(body))
  const error = textField(said, 'error')
  const reason = textField(said, 'reason') ?? error
  return reason === undefined ? undefined : { error: error ?? '', reason: asSentence(reason) }
}

// Reasons come with line breaks, with a full stop or without, and before 4.3 escaped for HTML.
function asSentence(reason: string): string {
  const plain = reason
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
  return plain.replace(/\s+/g, ' ').trim().replace(/\.$/, '')
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Where it is, without who asks. */
export function placeOf({ host, port }: ManagementAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function failure(
  code: ManagementError['code'],
  message: string,
  options: ErrorOptions & { status?: number } = {},
): ManagementError {
  const { status, ...errorOptions } = options
  return new ManagementError({ code, message, status }, errorOptions)
}
