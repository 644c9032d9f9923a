import { inspectQueue } from '../../broker/amqp/declarations.ts'
import type { Session } from '../../broker/amqp/session.ts'
import { ownSleep } from '../../own-timer.ts'
import { performance } from '../../world.ts'
import { withChannel } from '../look/with-channel.ts'

const longestElectionMs = 10_000
const askEveryMs = 100

/** Waits until queues have leaders, as far as can be told: one without says that it holds nothing. */
export async function awaitLeaders(session: Session, queues: readonly string[]): Promise<void> {
  const giveUpAt = performance.now() + longestElectionMs
  for (const queue of queues) {
    while (performance.now() < giveUpAt && !(await isLed(session, queue))) await ownSleep(askEveryMs)
  }
}

async function isLed(session: Session, queue: string): Promise<boolean> {
  try {
    const { messageCount, consumerCount } = await withChannel(session, (channel) =>
      inspectQueue(channel, queue),
    )
    return messageCount > 0 || consumerCount > 0
  } catch {
    return true // gone with its queue or its connection, and the next pass tells which
  }
}
