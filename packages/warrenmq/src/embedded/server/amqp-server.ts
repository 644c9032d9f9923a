import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { Broker } from '../model/broker.ts'
import { ProtocolError } from '../model/protocol-error.ts'
import type { AmqpConnection } from './amqp-connection.ts'
import { createAmqpConnection } from './create-amqp-connection.ts'
import type { FaultPlan } from './faults.ts'
import { listen } from './listen.ts'

/** The door for AMQP clients. */
export interface AmqpServer {
  readonly port: number
  readonly connections: ReadonlySet<AmqpConnection>
  /** Cuts every connection and accepts none until `reopen`, on the same port. */
  crash(): Promise<void>
  reopen(): Promise<void>
  /** Says goodbye to every client and closes the door. */
  stop(): Promise<void>
}

export interface AmqpServerOptions {
  readonly broker: Broker
  readonly faults: FaultPlan
  readonly clusterName: string
  /** 0 lets the system choose. */
  readonly port: number
  /** Called before a client gets a delivery. */
  onDelivery(): void
  report(error: unknown): void
}

/** Listens on loopback only. */
export async function startAmqpServer(options: AmqpServerOptions): Promise<AmqpServer> {
  const connections = new Set<AmqpConnection>()
  let onLastEnd = (): void => undefined
  const host = { ...options, connections: () => connections }
  const server = createServer((socket) => accept(socket))

  function accept(socket: Socket): void {
    if (options.faults.isRefusing) {
      socket.on('error', () => undefined)
      socket.resetAndDestroy()
      return
    }
    connections.add(
      createAmqpConnection(socket, host, (ended) => {
        connections.delete(ended)
        if (connections.size === 0) onLastEnd()
      }),
    )
  }

  async function shut(end: (connection: AmqpConnection) => void): Promise<void> {
    if (!server.listening) return
    const closed = once(server, 'close')
    // The server closes before its sockets say that they are closed, and only then the queues have back what was held.
    const gone = new Promise<void>((resolve) => {
      if (connections.size === 0) resolve()
      else onLastEnd = resolve
    })
    server.close()
    for (const connection of connections) end(connection)
    await Promise.all([closed, gone])
  }

  const port = await listen(server, options.port)
  return {
    port,
    connections,
    crash: () => shut((connection) => connection.cut()),
    reopen: async () => {
      if (!server.listening) await listen(server, port)
    },
    stop: () => shut((connection) => connection.shutDown(shutdown())),
  }
}

function shutdown(): ProtocolError {
  return new ProtocolError('CONNECTION_FORCED', "broker forced connection closure with reason 'shutdown'")
}
