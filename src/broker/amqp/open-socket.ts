import { connect as connectTcp, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { explainSocketError } from './explain-socket-error.ts'
import type { Endpoint } from './parse-amqp-url.ts'
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

function isHostName(host: string): boolean {
  return !/^[\d.]+$/.test(host) && !host.includes(':')
}
