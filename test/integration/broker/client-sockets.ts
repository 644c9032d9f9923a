import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** The plain sockets that this process opened to a port since it was asked, as Node tells of them itself. */
export function watchClientSockets(url: string): () => readonly Socket[] {
  const port = Number(new URL(url).port)
  const opened: Socket[] = []
  const remember = (message: unknown): void => void opened.push((message as { socket: Socket }).socket)
  subscribe('net.client.socket', remember)
  onTestFinished(() => void unsubscribe('net.client.socket', remember))
  return () => opened.filter(({ remotePort }) => remotePort === port)
}

/** Counts what a socket hands to the system: a call of either is one write, of one piece or of many. */
export function countWrites(socket: Socket): () => number {
  let count = 0
  const { _write, _writev } = socket
  socket._write = function (...args) {
    count += 1
    _write.apply(this, args)
  }
  socket._writev = function (...args) {
    count += 1
    _writev?.apply(this, args)
  }
  return () => count
}
