import type { Settled } from '../broker/amqp/ack-ledger.ts'
import type { AmqpChannel } from '../broker/amqp/channel.ts'
import type { Delivery } from '../broker/amqp/delivery.ts'
import type { Session } from '../broker/amqp/session.ts'
import type { Publisher } from '../publisher/publisher.ts'
import { readProperty } from '../wire/properties.ts'
import { mayBeReturned } from './decide-leftover.ts'
import { digestBody } from './digest-message.ts'
import { completeWalk } from './finish-walk.ts'
import type { LookRules } from './prepare-look.ts'
import type { RecentMoves } from './recent-moves.ts'
import { memoryOf } from './redrive-repeats.ts'
import { Refreshes, type RefreshRules } from './refreshes.ts'
import { QueueWalk } from './walk-queue.ts'
import { withChannel } from './with-channel.ts'

export interface Leftovers {
  readonly session: Session
  readonly queue: string
  /** How far from the head a message that was moved can stand. */
  readonly count: number
  readonly window: number
  /** So many more are in the queue than should be: no more can be left over. */
  readonly surplus: number
  /** All that should be in the queue were seen: a message that nobody has seen may be the twin of one that was moved. */
  readonly isAllSeen: boolean
  readonly recent: RecentMoves
  readonly publisher: Publisher
  readonly rules: RefreshRules &
    Pick<LookRules, 'returnsBehind' | 'countsReturns' | 'maxHoldMs' | 'consumerArguments'>
}

export interface Cleared {
  /** Acknowledged again. */
  readonly cleared: number
  /** Look like it, and may as well be twins of messages that were moved; they stay. */
  readonly unproved: number
}

/**
 * Acknowledges again what was moved and is still there, because its ack was lost. One that may be another message
 * stays: to move it once more would give two of it, and to take it out might leave none.
 */
export function clearLeftovers(task: Leftovers): Promise<Cleared> {
  return withChannel(task.session, (channel) => lookForLeftovers(channel, task))
}

async function lookForLeftovers(channel: AmqpChannel, task: Leftovers): Promise<Cleared> {
  const { queue, count, window, surplus, isAllSeen, recent, publisher, rules } = task
  recent.startPass()
  let unproved = 0
  let cleared = 0
  const ack = (delivery: Delivery): Settled => walk.ack(delivery)
  const refreshes = new Refreshes({ publisher, rules, ack })
  const hold = (delivery: Delivery): void => {
    refreshes.leave(delivery, () => walk.growIfNeeded())
  }
  const isMoved = (delivery: Delivery, id: string): boolean => {
    const { properties: now, isRedelivered } = delivery
    if (!isRedelivered) return false
    // What was never counted as moved is one of those that should be there.
    const move = recent.take(
      { id, properties: now, digest: digestBody(delivery) },
      ({ isCounted, properties: before }) =>
        isCounted && mayBeReturned({ before, now, isCounting: rules.countsReturns }),
    )
    if (move) recent.addAgain(memoryOf(delivery, { move, id })) // this line may break, too
    return move !== undefined
  }
  const look = (delivery: Delivery): void => {
    const id = readProperty(delivery.properties, 'messageId') ?? ''
    const isLeft = cleared + unproved < surplus && isMoved(delivery, id)
    if (isLeft && id !== '' && isAllSeen && !recent.hasTwin(id)) {
      if (ack(delivery) === 'sent') cleared += 1
      return
    }
    if (isLeft) unproved += 1
    hold(delivery)
  }
  const walk: QueueWalk = new QueueWalk({
    ...{ channel, queue, count, prefetch: window, onDelivery: look, onExtra: hold },
    ...{ isWhole: false, returnsBehind: rules.returnsBehind },
    ...{ maxHoldMs: rules.maxHoldMs, consumerArguments: rules.consumerArguments },
    heldCount: () => refreshes.heldCount,
  })
  await completeWalk(walk, refreshes)
  await channel.call({ name: 'basic.qos', prefetchSize: 0, prefetchCount: 1, global: false }, 'basic.qos-ok')
  return { cleared, unproved }
}
