import { declareQueue, inspectQueue } from '../../broker/amqp/declarations.ts'
import type { Session } from '../../broker/amqp/session.ts'
import { brokerCapabilities } from '../../message/broker-capabilities.ts'
import type { BrokerVersion } from '../../message/broker-version.ts'
import { escapeLine } from '../../message/escape-text.ts'
import { toFieldTable } from '../../wire/plain-fields.ts'
import { isConnectionLost } from './is-connection-lost.ts'
import { isQueueGone } from './is-queue-gone.ts'
import { overLimitName } from './over-limit-name.ts'

export interface OverLimitTask {
  readonly session: Session
  /** The dead-letter queue. */
  readonly queue: string
  readonly version: BrokerVersion
}

/**
 * Where messages go that a dead-letter queue would delete and accepts no copy of. It is created when the first one
 * needs it, and only then: the one thing that a look or a re-drive creates, because the message would be lost without
 * it.
 */
export class OverLimitQueue {
  readonly name: string
  /** Messages that were moved here. */
  count = 0
  readonly #task: OverLimitTask
  #opening: Promise<boolean> | undefined
  #hasWarned = false

  constructor(task: OverLimitTask) {
    this.#task = task
    this.name = overLimitName(task.queue)
  }

  /** True once it is there. False: it cannot be made now, e.g. for want of a permission. */
  open(): Promise<boolean> {
    this.#opening ??= this.#open().catch((error: Error) => {
      this.#opening = undefined // the next one asks again
      if (!isConnectionLost(error)) this.#warn(error)
      return false
    })
    return this.#opening
  }

  /** Once: messages are held, and nothing continues, until somebody creates it or allows it. */
  #warn({ message }: Error): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    const warning =
      `The queue "${this.name}" cannot be created: ${message} Messages that "${this.#task.queue}" would delete, and accepts ` +
      'no copy of, are held until it can be created, or the queue has room.'
    // Node writes it to the terminal as it is, and a name may hold anything.
    process.emitWarning(escapeLine(warning), { code: 'WARREN_NO_OVER_LIMIT_QUEUE' })
  }

  async #open(): Promise<boolean> {
    const { session } = this.#task
    const probe = await session.openChannel()
    try {
      await inspectQueue(probe, this.name)
    } catch (error) {
      if (!isQueueGone(error)) throw error
      await this.#declare()
    } finally {
      await probe.close()
    }
    return true
  }

  async #declare(): Promise<void> {
    const { session, version } = this.#task
    const { supportsUnlimitedDeliveryLimit } = brokerCapabilities(version)
    const channel = await session.openChannel()
    try {
      const unlimited = supportsUnlimitedDeliveryLimit && { 'x-delivery-limit': -1 }
      const args = toFieldTable({ 'x-queue-type': 'quorum', ...unlimited })
      await declareQueue(channel, { queue: this.name, arguments: args })
    } finally {
      await channel.close()
    }
  }
}
