import type { Session } from '../../broker/amqp/session.ts'
import { escapeLine } from '../../message/escape-text.ts'
import { countsOf } from '../look/settled-depth.ts'

/**
 * Says once per queue that a canary proves nothing, because what was moved there is still there and has no consumer.
 * If that cannot be told, it says nothing.
 */
export function untriedWarner(session: Session): (queues: readonly string[]) => Promise<void> {
  const told = new Set<string>()
  return async (queues) => {
    for (const queue of new Set(queues)) {
      if (told.has(queue)) continue
      const counts = await countsOf(session, queue).catch(() => undefined)
      if (counts === undefined || counts.consumerCount > 0 || counts.messageCount === 0) continue
      told.add(queue)
      const warning =
        `The canary proves nothing: what it moved to "${queue}" is still there, and the queue has no consumer. ` +
        'Start its consumers before the rest follows, or wait longer (--canary-wait) if messages are only delayed there.'
      // Node writes it to the terminal as it is, and a name may hold anything.
      process.emitWarning(escapeLine(warning), { code: 'WARREN_REDRIVE_UNTRIED' })
    }
  }
}
