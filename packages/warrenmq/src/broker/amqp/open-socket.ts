import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { connectTcp, connectTls } from '../../world.ts'
import { explainSocketError, tlsFailedError } from './explain-socket-error.ts'
import type { Endpoint } from './parse-amqp-url.ts'
import { readIntoSlabs } from './read-into-slabs.ts'

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
export async function openSocket(
  endpoint: Endpoint,
  options: { tls?: TlsOptions; signal: AbortSignal },
): Promise<Socket> {
  const socket = startSocket(endpoint, options.tls)
  socket.setNoDelay(true)
  return new Promise((resolve, reject) => {
    const opened = endpoint.isTls ? 'secureConnect' : 'connect'
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
      reject(explainSocketError(cause, endpoint))
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

function startSocket(endpoint: Endpoint, tls: TlsOptions | undefined): Socket {
  const { host, port, isTls } = endpoint
  if (!isTls) {
    const socket: Socket = connectTcp({ host, port, onread: readIntoSlabs(() => socket) })
    return socket
  }
  try {
    return connectTls({ host, port, servername: isHostName(host) ? host : '', ...tls })
  } catch (cause) {
    // Node throws over a certificate or key that it cannot read, or that do not belong together.
    throw tlsFailedError(cause as Error, endpoint)
  }
}

function isHostName(host: string): boolean {
  return !/^[\d.]+$/.test(host) && !host.includes(':')
}
