import { ConnectionError, WireError } from '../../errors.ts'
import type { Method } from '../../wire/method-specs.ts'
import { isTlsFailure, tlsFailedError } from './explain-socket-error.ts'
import { describeEndpoint, type Endpoint } from './parse-amqp-url.ts'

/** When it happened: a handshake that fails is told otherwise than a connection that was in use. */
interface Circumstances {
  readonly isOpening: boolean
  readonly cause?: Error | undefined
}

export function closedError(endpoint: Endpoint, cause?: Error): ConnectionError {
  const message = `The connection to ${describeEndpoint(endpoint)} is closed.`
  return new ConnectionError({ code: 'CONNECTION_CLOSED', message }, { cause })
}

/** Whatever its code: who was let in before is not told that it may not come in. */
export function closedByBrokerError(
  endpoint: Endpoint,
  { replyCode, replyText }: Pick<Method<'connection.close'>, 'replyCode' | 'replyText'>,
): ConnectionError {
  const message = `The broker at ${describeEndpoint(endpoint)} closed the connection: ${replyText} (${replyCode}).`
  return new ConnectionError({ code: 'CONNECTION_CLOSED_BY_BROKER', message, replyCode })
}

export function lostError(endpoint: Endpoint, { isOpening, cause }: Circumstances): ConnectionError {
  if (isOpening && cause && isTlsFailure(cause, endpoint)) return tlsFailedError(cause, endpoint)
  const why = cause ? ` (${cause.message})` : ''
  const message = isOpening
    ? `${describeEndpoint(endpoint)} closed the connection during the handshake${why}. Is it an AMQP 0-9-1 port?`
    : `The connection to ${describeEndpoint(endpoint)} was lost${why}.`
  return new ConnectionError({ code: 'CONNECTION_LOST', message }, { cause })
}

export function timeoutError(endpoint: Endpoint, timeoutMs: number): ConnectionError {
  const message = `${describeEndpoint(endpoint)} did not answer within ${timeoutMs} ms.`
  return new ConnectionError({ code: 'CONNECTION_TIMEOUT', message })
}

export function heartbeatMissedError(endpoint: Endpoint, heartbeatSeconds: number): ConnectionError {
  const message = `${describeEndpoint(endpoint)} was silent for more than ${2 * heartbeatSeconds} s, two heartbeats.`
  return new ConnectionError({ code: 'CONNECTION_HEARTBEAT_MISSED', message })
}

const limitOf = { header: 'maxHeaderBytes', body: 'maxBodyBytes' } as const

/** Bytes that cannot be read: by anybody, or only by us, because of a limit of ours. */
export function unreadableError(endpoint: Endpoint, circumstances: Circumstances): ConnectionError {
  const { isOpening, cause } = circumstances
  const oversized = cause instanceof WireError ? cause.oversized : undefined
  if (isOpening || !oversized) return notAmqpError(endpoint, circumstances)
  const message = `${describeEndpoint(endpoint)} sent a message that is too large to read: ${cause!.message} Raise ${limitOf[oversized]}, or remove the message from its queue by other means.`
  return new ConnectionError({ code: 'CONNECTION_MESSAGE_TOO_LARGE', message }, { cause })
}

function notAmqpError(endpoint: Endpoint, { isOpening, cause }: Circumstances): ConnectionError {
  const why = cause instanceof WireError ? `: ${cause.message}` : '.'
  const message = `${describeEndpoint(endpoint)} sent bytes that are not AMQP 0-9-1${why}`
  return new ConnectionError({ code: 'CONNECTION_NOT_AMQP', message, isFinal: isOpening }, { cause })
}
