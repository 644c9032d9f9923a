import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A port whose connections to the target pass through `relay`; gone with the test. Gives the URL through it. */
export async function startRelay(
  target: number,
  relay: (client: Socket, broker: Socket) => void,
): Promise<(url: string) => string> {
  const server = createServer({ noDelay: true }, (client) => {
    const broker = connect({ port: target, host: '127.0.0.1', noDelay: true })
    relay(client, broker)
    for (const socket of [client, broker]) socket.on('error', () => {})
    client.on('close', () => broker.destroy())
    broker.on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  return (url) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href
}
