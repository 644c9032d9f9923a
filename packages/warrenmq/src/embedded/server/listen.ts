import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { EmbeddedBrokerError } from '../../errors.ts'

/** Listens on loopback only and gives the port; 0 lets the system choose. */
export async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    throw unavailable(port, error as NodeJS.ErrnoException)
  }
  const address = server.address()
  const bound = address !== null && typeof address !== 'string' ? address.port : port
  await listenOnIpv6(server, bound)
  return bound
}

/**
 * The same port on `::1`, for clients to whom `localhost` means that. Where the machine has no IPv6, or another program has that
 * port there, 127.0.0.1 is all there is.
 */
async function listenOnIpv6(server: Server, port: number): Promise<void> {
  const second = createServer({ noDelay: true }, (socket) => {
    if (server.listening) server.emit('connection', socket)
    else socket.resetAndDestroy()
  })
  second.listen({ port, host: '::1', ipv6Only: true })
  try {
    await once(second, 'listening')
  } catch {
    return
  }
  if (server.listening) server.once('close', () => second.close())
  else second.close()
}

function unavailable(port: number, cause: NodeJS.ErrnoException): EmbeddedBrokerError {
  const why =
    cause.code === 'EADDRINUSE'
      ? 'Another program uses it, perhaps a RabbitMQ'
      : cause.code === 'EACCES'
        ? 'This user may not use it'
        : cause.message
  return new EmbeddedBrokerError(
    {
      code: 'EMBEDDED_PORT_UNAVAILABLE',
      message: `The embedded broker cannot listen on port ${port}. ${why}. Choose another port, or 0 for a free one.`,
    },
    { cause },
  )
}
