import { connect as connectTcp, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { ConnectionError } from '../../errors.ts'
import { describeEndpoint, type Endpoint } from './parse-amqp-url.ts'
import { readIntoSlabs } from './read-slabs.ts'

/** What Node's TLS takes: ca, cert, key, pfx, passphrase, servername, … The server is verified unless told not to. */
export type TlsOptions = Pick<
  ConnectionOptions,
  | 'ca'
  | 'cert'
  | 'key'
  | 'pfx'
  | 'passphrase'
  | 'servername'
  | 'rejectUnauthorized'
  | 'checkServerIdentity'
  | 'minVersion'
>

/** Opens the socket, TLS included, or says in one sentence why that is not possible. */
export function openSocket(
  endpoint: Endpoint,
  options: { tls?: TlsOptions; signal: AbortSignal },
): Promise<Socket> {
  const { host, port, isTls } = endpoint
  const socket: Socket = isTls
    ? connectTls({ host, port, servername: isHostName(host) ? host : '', ...options.tls })
    : connectTcp({ host, port, onread: readIntoSlabs(() => socket) })
  socket.setNoDelay(true)
  return new Promise((resolve, reject) => {
    const opened = isTls ? 'secureConnect' : 'connect'
    const settle = (): void => {
      options.signal.removeEventListener('abort', onAbort)
      socket.off('error', onError).off(opened, onOpen)
    }
    const onOpen = (): void => {
      settle()
      resolve(socket)
    }
    const onError = (cause: NodeJS.ErrnoException): void => {
      settle()
      socket.destroy()
      reject(explain(cause, endpoint))
    }
    const onAbort = (): void => {
      settle()
      // A late error of a socket nobody waits for must not become an uncaught exception.
      socket.on('error', () => {}).destroy()
      reject(options.signal.reason)
    }
    socket.once(opened, onOpen).once('error', onError)
    if (options.signal.aborted) onAbort()
    else options.signal.addEventListener('abort', onAbort, { once: true })
  })
}

function isHostName(host: string): boolean {
  return !/^[\d.]+$/.test(host) && !host.includes(':')
}

function explain(cause: NodeJS.ErrnoException, endpoint: Endpoint): ConnectionError {
  const where = describeEndpoint(endpoint)
  if (isTlsFailure(cause)) {
    return new ConnectionError(
      {
        code: 'CONNECTION_TLS_FAILED',
        isFinal: true,
        message: `TLS with ${where} failed: ${cause.message}. Check the certificates (tls.ca, tls.cert, tls.key) and that the port speaks TLS.`,
      },
      { cause },
    )
  }
  return new ConnectionError(
    {
      code: 'CONNECTION_REFUSED',
      message: `Cannot reach a broker at ${where} (${cause.code ?? cause.message}). Is it running, and is the address right?`,
    },
    { cause },
  )
}

const transportCodes: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EPIPE',
  'EACCES',
])

function isTlsFailure(cause: NodeJS.ErrnoException): boolean {
  if (transportCodes.has(cause.code)) return false
  // A reset while TLS is being set up is how some servers say that they refuse the certificate.
  return cause.code !== 'ECONNRESET' || /TLS|SSL|secure/i.test(cause.message)
}
