import { formatCounted } from '../message/format-counted.ts'
import { countMessages } from '../topology/render-plan.ts'

/** What is known at one moment of a queue that is left over, and of the queue whose consumers published to it. */
export interface LeftoverLook {
  /** In whatever state: ready, held, or on its way back. Undefined: not known. */
  readonly messages: number | undefined
  readonly consumers: number
  readonly of: {
    readonly queue: string
    readonly consumers: number
    /** What its consumers hold and may still want to retry. Undefined: not known. */
    readonly unacknowledged: number | undefined
  }
}

export type LeftoverDecision =
  | { readonly kind: 'remove' }
  | { readonly kind: 'keep'; readonly reason: string }

/**
 * Whether a wait queue that is no longer declared may go. RabbitMQ confirms what is published to a queue that is being
 * deleted, and loses it; so nobody may be able to publish there: no consumer of its work queue that could be of an older
 * release, and nothing in the hands of one that is just closing. `isOldReleaseGone`: somebody knows that there is none.
 */
export function decideLeftover(
  { messages, consumers, of }: LeftoverLook,
  { isOldReleaseGone }: { readonly isOldReleaseGone: boolean },
): LeftoverDecision {
  if (messages !== 0) return keep(`it holds ${countMessages(messages)}`)
  if (consumers > 0) return keep(`it has ${countConsumers(consumers)}`)
  if (isOldReleaseGone) return { kind: 'remove' }
  if (of.consumers > 0) {
    return keep(
      `"${of.queue}" has ${countConsumers(of.consumers)}, and one of an older release could still publish there`,
    )
  }
  if (of.unacknowledged !== 0) {
    return keep(
      `a consumer that is closing may hold messages of "${of.queue}", and could still publish there`,
    )
  }
  return { kind: 'remove' }
}

function keep(reason: string): LeftoverDecision {
  return { kind: 'keep', reason }
}

function countConsumers(consumers: number): string {
  return formatCounted(consumers, 'consumer')
}
