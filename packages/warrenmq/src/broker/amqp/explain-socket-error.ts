import { getSystemErrorMap } from 'node:util'
import { ConnectionError } from '../../errors.ts'
import { describeEndpoint, type Endpoint } from './parse-amqp-url.ts'

/** Says in one sentence why no socket could be opened. Only what no other try and no other host would mend is final. */
export function explainSocketError(cause: NodeJS.ErrnoException, endpoint: Endpoint): ConnectionError {
  if (isTlsFailure(cause, endpoint)) return tlsFailedError(cause, endpoint)
  return new ConnectionError(
    {
      code: 'CONNECTION_REFUSED',
      message: `Cannot reach a broker at ${describeEndpoint(endpoint)} (${cause.code ?? cause.message}). Is it running, and is the address right?`,
    },
    { cause },
  )
}

export function tlsFailedError(cause: Error, endpoint: Endpoint): ConnectionError {
  const why = cause.message.trim().replace(/\.$/, '')
  return new ConnectionError(
    {
      code: 'CONNECTION_TLS_FAILED',
      isFinal: true,
      message: `TLS with ${describeEndpoint(endpoint)} failed: ${why}. Check the certificates (tls.ca, tls.cert, tls.key) and that the port speaks TLS.`,
    },
    { cause },
  )
}

/** What the system says of a socket (EMFILE, EHOSTDOWN, …); ENOTFOUND is Node's own word for a name that is not known. */
const systemCodes: ReadonlySet<string | undefined> = new Set([
  ...[...getSystemErrorMap().values()].map(([code]) => code),
  'ENOTFOUND',
])

/** Is TLS to blame? With TLS 1.3 a broker may refuse our certificate only after the socket is open for us. */
export function isTlsFailure({ code, message }: NodeJS.ErrnoException, { isTls }: Endpoint): boolean {
  if (!isTls) return false
  if (code === 'EPROTO') return true // OpenSSL's complaints come under this code
  // A reset while TLS is being set up is how some servers say that they refuse the certificate.
  if (code === 'ECONNRESET') return /TLS|SSL|secure/i.test(message)
  return !systemCodes.has(code)
}
