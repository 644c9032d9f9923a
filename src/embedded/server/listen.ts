import { once } from 'node:events'
import type { Server } from 'node:net'
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
  return address !== null && typeof address !== 'string' ? address.port : port
}

function unavailable(port: number, cause: NodeJS.ErrnoException): EmbeddedBrokerError {
  const why =
    cause.code === 'EADDRINUSE'
      ? 'Another program has it, perhaps a RabbitMQ'
      : cause.code === 'EACCES'
        ? 'This user may not have it'
        : cause.message
  return new EmbeddedBrokerError(
    {
      code: 'EMBEDDED_PORT_UNAVAILABLE',
      message: `The embedded broker cannot listen on port ${port}. ${why}. Name another port, or 0 for a free one.`,
    },
    { cause },
  )
}
