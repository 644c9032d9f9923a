import type { Delivery } from '../../broker/amqp/delivery.ts'
import { type HoldReport, holdMessages, type MessageSink } from './hold-messages.ts'
import type { LookPermission } from './prepare-look.ts'

/** How much of a queue to show, and to whom. */
export interface LookOptions extends LookPermission {
  /**
   * How many, from the head. @default all
   * @example { count: 20 }
   */
  readonly count?: number
  /**
   * Who looks; shown to the next one who wants the queue.
   * @example { by: 'anna' }
   */
  readonly by: string
  /**
   * Called with how many there are, before the first of them comes.
   * @example { onPresent: (present) => console.log(present, 'messages') }
   */
  readonly onPresent?: ((present: number) => void) | undefined
  /**
   * Called once per message, in order. Copy what is kept: the bytes are reused.
   * @example { onMessage: ({ bodyBytes }) => console.log(bodyBytes) }
   */
  readonly onMessage: (delivery: Delivery) => void
  /**
   * Where messages are written that come faster than they can be written. @default no limit
   * @example { sink: { isFull: false, onProgress: () => {} } }
   */
  readonly sink?: MessageSink | undefined
  /**
   * Ends the look; what was held goes back, and the report says that it is not whole.
   * @example { signal: AbortSignal.timeout(60_000) }
   */
  readonly signal?: AbortSignal | undefined
}

/** Of a `HoldReport`, what concerns who only looks. */
export type LookReport = Pick<HoldReport, 'present' | 'seen' | 'refreshed' | 'isWhole'>

/**
 * Shows messages and leaves them where they are, in order. Refuses a queue whose delivery limit could delete them. If
 * the limit was accepted, messages that come near it are put back by a confirmed publish.
 * @example
 * ```ts
 * await lookAtQueue({ ...broker, queue: 'orders.dlq', by: 'ann', count: 10, onMessage: (message) => console.log(message.routingKey) })
 * ```
 */
export async function lookAtQueue(options: LookOptions): Promise<LookReport> {
  const { onMessage, ...task } = options
  const { present, seen, refreshed, isWhole } = await holdMessages({
    ...task,
    purpose: 'a look',
    onMessage: (delivery) => {
      onMessage(delivery)
      return undefined
    },
  })
  return { present, seen, refreshed, isWhole }
}
