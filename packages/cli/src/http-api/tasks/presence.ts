import { hostname } from 'node:os'
import { declareQueue, type Management, type Session, toFieldTable } from 'warrenmq/operations'

/** The sign that a server lives. */
export interface Presence {
  /** The queue that is there for as long as the connection of this moment. */
  readonly queue: string
  close(): Promise<void>
}

/**
 * Tells all that this server lives, by an exclusive queue on the connection that also holds its deliveries: the
 * broker takes both back together, however the server ends. Each connection has a queue of its own, since a cluster
 * may keep that of a node which is gone until the node is back.
 */
export async function announceServer(session: Session, server: string): Promise<Presence> {
  const args = { 'x-queue-type': 'classic', 'warren-holder': hostname() }
  let connections = 0
  let queue = ''
  const channel = session.superviseChannel(`presence ${server}`, async (opened) => {
    connections += 1
    const name = `warren.server.${server}.${connections}`
    await declareQueue(opened, {
      queue: name,
      durable: false,
      exclusive: true,
      arguments: toFieldTable(args),
    })
    queue = name
  })
  await channel.whenOpen()
  return {
    get queue() {
      return queue
    },
    close: () => channel.close(),
  }
}

/** Asked over HTTP: over AMQP a foreign exclusive queue is an error, and one more line in the broker's log. */
export async function isServerThere(
  { management, vhost }: { readonly management: Management; readonly vhost: string },
  presence: string,
): Promise<boolean> {
  const queue = await management.queues.find({ vhost, name: presence })
  if (!queue) return false
  const { listeners } = await management.overview()
  // Of a node that is gone it is only remembered.
  return (
    queue.node === undefined || listeners.length === 0 || listeners.some(({ node }) => node === queue.node)
  )
}
