import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Clock, steadyClock } from 'warrenmq/operations'

/** Watches a response until its end. Says how many of its connection have not come to theirs. */
export type WatchResponse = (socket: Socket, response: ServerResponse) => number

interface Watched {
  readonly open: Set<ServerResponse>
  readonly onClose: () => void
  written: number
  waiting: number
  movedAtMs: number
}

/** Slow lines take some of an answer every few seconds; one that takes nothing for so long is held on purpose. */
const mostUnreadMs = 60_000
const lookEveryMs = 5_000

/**
 * Sees to it that every response comes to its end. Node closes the one that is being written when its connection ends,
 * and forgets those behind it that were asked for on the same connection: whatever waits for their end would wait for
 * ever. And a connection on which nothing is read is cut.
 */
export function watchConnections(clock: Clock = steadyClock): WatchResponse {
  const connections = new Map<Socket, Watched>()
  let isLooking = false

  function look(): void {
    for (const [socket, watched] of connections) if (isUnread(socket, watched, clock.now())) socket.destroy()
    isLooking = connections.size > 0
    if (isLooking) clock.schedule(lookEveryMs, look)
  }

  function begin(socket: Socket): Watched {
    const open = new Set<ServerResponse>()
    const onClose = (): void => {
      for (const response of open) closeForgotten(response)
    }
    const watched: Watched = { open, onClose, written: 0, waiting: 0, movedAtMs: clock.now() }
    connections.set(socket, watched)
    socket.once('close', onClose)
    if (!isLooking) look()
    return watched
  }

  return (socket, response) => {
    const { open, onClose } = connections.get(socket) ?? begin(socket)
    const end = (): void => {
      open.delete(response)
      if (open.size > 0) return
      connections.delete(socket)
      socket.off('close', onClose)
    }
    open.add(response)
    response.once('finish', end).once('close', end)
    return open.size
  }
}

/** The one that has the connection is closed by Node. */
function closeForgotten(response: ServerResponse): void {
  if (response.socket) return
  response.destroy()
  response.emit('close')
}

/** Whether nothing of what waits has left for too long: neither was more written, nor does less wait. */
function isUnread(socket: Socket, watched: Watched, nowMs: number): boolean {
  const { bytesWritten: written, writableLength: waiting } = socket
  const hasMoved = !(waiting > 0) || written !== watched.written || waiting !== watched.waiting
  if (hasMoved) Object.assign(watched, { written, waiting, movedAtMs: nowMs })
  return nowMs - watched.movedAtMs >= mostUnreadMs
}
