import { type ConnectionRecord, isCapable } from './connection-record.ts'

/**
 * Whoever starts a publish while resources are short is told so, and no more is read from it: what belongs to the
 * publish, and whatever comes after it, waits. Who only consumes can go on, however often it has published before.
 */
export function blockPublisher(record: ConnectionRecord): void {
  const reason = record.host.faults.blockedReason
  if (reason === undefined || record.isBlocked) return
  record.isBlocked = true
  if (isTold(record)) record.output.method(0, { name: 'connection.blocked', reason })
  record.socket.pause()
}

/** Lets go on who was blocked, once there is no reason any more. */
export function endBlock(record: ConnectionRecord): void {
  const { host, output, socket, unread } = record
  if (!record.isBlocked || host.faults.blockedReason !== undefined) return
  record.isBlocked = false
  if (record.phase === 'running' && isTold(record)) output.method(0, { name: 'connection.unblocked' })
  for (const take of unread.splice(0)) take()
  socket.resume()
}

/** Keeps a frame until the block is over: a chunk may hold more than the one at which the connection was blocked. */
export function holdBack(record: ConnectionRecord, bytes: Buffer, take: (bytes: Buffer) => void): void {
  const kept = Buffer.from(bytes)
  record.unread.push(() => take(kept))
}

function isTold(record: ConnectionRecord): boolean {
  return isCapable(record, 'connection.blocked')
}
