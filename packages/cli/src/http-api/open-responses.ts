import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The responses that a part of a server has begun and not ended, so that the part can end them. */
export interface OpenResponses {
  readonly size: number
  add(request: Pick<IncomingMessage, 'socket'>, response: ServerResponse): void
  /** Breaks off all of them, with their connections. */
  destroy(): void
}

/**
 * They are kept by connection: when one ends, Node closes only the response that is being written, and those that wait
 * behind it would be kept for ever.
 */
export function createOpenResponses(): OpenResponses {
  const connections = new Map<Socket, Set<ServerResponse>>()

  function begin(socket: Socket): Set<ServerResponse> {
    const open = new Set<ServerResponse>()
    connections.set(socket, open)
    socket.once('close', () => connections.delete(socket))
    return open
  }

  return {
    get size() {
      return [...connections.values()].reduce((sum, open) => sum + open.size, 0)
    },
    add: ({ socket }, response) => {
      // It was cut before its requests were read, and may have told so already.
      if (socket.destroyed) return
      const open = connections.get(socket) ?? begin(socket)
      open.add(response)
      response.once('close', () => open.delete(response))
    },
    destroy: () => {
      for (const open of connections.values()) for (const response of open) response.destroy()
    },
  }
}
