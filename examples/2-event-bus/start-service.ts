import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** What an event makes the service answer, request by request; the last one repeats. 0 breaks the connection. */
export interface Event {
  readonly answers: readonly number[]
}

export interface Service {
  readonly url: string
  /** From now on everything is answered with 200. */
  mend(): void
  stop(): Promise<void>
}

/** The HTTP service behind the queue, in any language: it knows nothing of RabbitMQ. */
export async function startService(): Promise<Service> {
  let isMended = false
  const requests = new Map<unknown, number>()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { answers } = (await json(request)) as Event
    const id = request.headers['warren-message-id']
    const before = requests.get(id) ?? 0
    requests.set(id, before + 1)
    const status = isMended ? 200 : (answers[before] ?? answers.at(-1) ?? 200)
    if (status === 0) request.socket.destroy()
    else response.writeHead(status).end(`answered with ${status}`)
  }

  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    mend: () => {
      isMended = true
    },
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
