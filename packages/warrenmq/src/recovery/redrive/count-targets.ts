import { inspectQueue } from '../../broker/amqp/declarations.ts'
import type { Session } from '../../broker/amqp/session.ts'
import { isConnectionLost, isQueueUnreachable } from '../look/is-connection-lost.ts'
import { withChannel } from '../look/with-channel.ts'

/** The depth of the deepest; undefined if the connection is lost, and another one follows. */
export async function countTargets(session: Session, queues: readonly string[]): Promise<number | undefined> {
  let deepest = -1
  try {
    for (const queue of queues) deepest = Math.max(deepest, (await depthOf(session, queue)) ?? -1)
    return deepest
  } catch {
    return undefined
  }
}

/** Undefined: it cannot be counted, because it was deleted or its node is down. The publishes themselves will tell. */
async function depthOf(session: Session, queue: string): Promise<number | undefined> {
  try {
    const { messageCount } = await withChannel(session, (channel) => inspectQueue(channel, queue))
    return messageCount
  } catch (error) {
    if (isConnectionLost(error) && !isQueueUnreachable(error)) throw error
    return undefined
  }
}
