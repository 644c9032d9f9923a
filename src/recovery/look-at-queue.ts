import { hostname } from 'node:os'
import type { Delivery } from '../broker/amqp/delivery.ts'
import type { Session } from '../broker/amqp/session.ts'
import type { Management } from '../broker/management/open-management.ts'
import { Publisher } from '../publisher/publisher.ts'
import { closeSettled, depthOf, settledDepth, vhostOf } from './count-queue.ts'
import { createSetDigest } from './digest-message.ts'
import { Pace } from './pace.ts'
import { createRecentMoves } from './recent-moves.ts'
import { RedrivePass } from './redrive-pass.ts'
import { prepareRules } from './redrive-rules.ts'
import { RedriveTally } from './redrive-tally.ts'
import { takeLock } from './take-lock.ts'

export interface LookOptions {
  readonly consuming: Session
  /** For messages that giving back would delete. */
  readonly publishing: Session
  readonly management?: Management | undefined
  readonly queue: string
  /** How many, from the head. @default all */
  readonly count?: number
  readonly by: string
  /** Called once per message, in order. Copy what is kept: the bytes are reused. */
  readonly onMessage: (delivery: Delivery) => void
}

export interface LookReport {
  readonly present: number
  readonly seen: number
  /** Messages that were put at the end of the queue, because giving them back would have deleted them. */
  readonly refreshed: number
}

const underWay = 500

/**
 * Shows messages and leaves them where they are, in order. On a quorum queue with a delivery limit every look
 * counts; messages that come near the limit are put back by a confirmed publish, which starts them at zero.
 */
export async function lookAtQueue(options: LookOptions): Promise<LookReport> {
  const { consuming, publishing, queue, management, by, onMessage } = options
  const holder = `${by} on ${hostname()} (a look)`
  const lock = await takeLock({ session: consuming, queue, holder, management, vhost: vhostOf(consuming) })
  const publisher = new Publisher(publishing)
  const tally = new RedriveTally()
  try {
    const present = await depthOf(consuming, queue)
    const channel = await consuming.openChannel()
    const probe = await consuming.openChannel()
    const rules = await prepareRules(options, { id: '', atMs: 0 })
    const pass = new RedrivePass({
      ...{ channel, probe, publisher, queue, tally },
      count: Math.min(present, options.count ?? present),
      rules: {
        ...rules,
        decide: (delivery) => {
          onMessage(delivery)
          return { kind: 'keep', reason: 'not-selected' }
        },
      },
      window: { messages: underWay, bytes: Number.POSITIVE_INFINITY },
      recent: createRecentMoves(0),
      digest: createSetDigest(),
      pace: new Pace(undefined, () => {}),
      onProgress: () => {},
    })
    await pass.run()
    await closeSettled(channel, probe, queue)
    // Whoever looks next must find them all, so the lock is kept until they are back.
    await settledDepth(consuming, queue, present)
    return { present, seen: tally.keptCount, refreshed: tally.refreshed }
  } finally {
    await Promise.all([publisher.close(), lock.release()])
  }
}
