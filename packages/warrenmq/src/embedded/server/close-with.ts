import type { Method } from '../../wire/method-specs.ts'
import { methodIdOf } from '../../wire/methods.ts'
import { clearTimeout, setTimeout } from '../../world.ts'
import { removeQueue } from '../model/create-broker.ts'
import type { ProtocolError } from '../model/protocol-error.ts'
import type { ConnectionRecord } from './connection-record.ts'

/** A client that does not answer the broker's close has so long. */
const closeGraceMs = 5000
/** One that is to read the last words, and then to end its side, has so long. */
const lastWordsMs = 10_000

/** Answers a refusal: it closes the channel it belongs to, or the whole connection. */
export function refuse(
  connection: ConnectionRecord,
  error: ProtocolError,
  { channel: number, cause }: { channel: number; cause: Method | undefined },
): void {
  const channel = connection.channels.get(number)
  if (error.closes === 'channel' && channel) {
    connection.host.broker.inbox.run(() => channel.refuse(error, cause))
    connection.output.planFlush()
  } else closeWith(connection, error, cause)
}

/** Says goodbye from the broker's side and waits for the client to agree. */
export function closeWith(connection: ConnectionRecord, error: ProtocolError, cause?: Method): void {
  const { phase } = connection
  if (phase === 'closing' || phase === 'closed') return
  endChannels(connection)
  sendClose(connection, error, cause)
  if (phase === 'greeting' || phase === 'starting') {
    finish(connection)
    return
  }
  connection.phase = 'closing'
  connection.graceTimer = setTimeout(() => finish(connection), closeGraceMs).unref()
}

export function sendClose({ output }: ConnectionRecord, error: ProtocolError, cause?: Method): void {
  // RabbitMQ no longer knows what it was doing when it stumbled.
  const id = cause && error.condition !== 'INTERNAL_ERROR' ? methodIdOf(cause.name) : 0
  output.method(0, {
    name: 'connection.close',
    replyCode: error.replyCode,
    replyText: error.replyText,
    classId: id >>> 16,
    methodId: id & 0xffff,
  })
}

/**
 * Nothing is handed to it any more, though what it holds has not gone back yet: what one channel gives back must not go
 * to another that is about to end.
 */
function silence({ channels }: ConnectionRecord): void {
  for (const { model } of channels.values()) model.isSilenced = true
}

/** Gives back what the connection held, and deletes the queues that were its own. */
export function endChannels(connection: ConnectionRecord): void {
  const { channels, actor, identity, host } = connection
  const { broker } = host
  broker.inbox.run(() => {
    silence(connection)
    for (const channel of channels.values()) channel.end()
    channels.clear()
    if (!actor) return
    for (const queue of [...actor.vhost.queues.values()]) {
      if (queue.owner === identity) removeQueue(broker, actor.vhost, queue)
    }
  })
}

/** Sends what is left and lets go of the socket. */
export function finish(connection: ConnectionRecord): void {
  if (connection.phase === 'closed') return
  connection.output.flush()
  connection.output.drop()
  connection.phase = 'closed'
  connection.heartbeat?.stop()
  connection.socket.end()
  // A client that is gone without a word never ends its side.
  clearTimeout(connection.graceTimer)
  connection.graceTimer = setTimeout(() => connection.socket.destroy(), lastWordsMs).unref()
}

/** Ends it as if the network had failed: without a word, and without what was not sent yet. */
export function cut(connection: ConnectionRecord): void {
  silence(connection) // its channels end only when the socket has closed
  connection.output.drop()
  connection.phase = 'closed'
  connection.socket.resetAndDestroy()
}
