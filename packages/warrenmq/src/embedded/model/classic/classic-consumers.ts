import { createConsumerRing } from '../queue/consumer-ring.ts'
import type { Consumer, ConsumerChannel } from '../queue/queue.ts'

/** The consumers of a classic queue: whose turn it is, and who can take no more for now. */
export interface ClassicConsumers {
  count(): number
  all(): readonly Consumer[]
  holder(): Consumer | undefined
  add(consumer: Consumer): void
  remove(consumer: Consumer): void
  removeChannel(channel: ConsumerChannel): readonly Consumer[]
  /** Calls `hand` for the next consumer that can take a message. Gives false when there is none. */
  handOver(hand: (consumer: Consumer) => void): boolean
  /** Its consumer has settled that many. */
  release(consumer: Consumer, count: number): void
  /** The channel can take again. */
  wake(channel: ConsumerChannel): void
}

interface Member {
  readonly consumer: Consumer
  readonly priority: number
  /** How many more it may hold. */
  credit: number
}

export function createClassicConsumers({ isSingleActive }: { isSingleActive: boolean }): ClassicConsumers {
  const ring = createConsumerRing<Member>()
  const members = new Map<Consumer, Member>()
  const blocked = new Set<Member>()
  /** The exclusive consumer, or the single active one. */
  let holder: Consumer | undefined

  function canTake({ consumer, credit }: Member): boolean {
    return credit > 0 && consumer.channel.canTake(consumer)
  }

  function handTo(member: Member, hand: (consumer: Consumer) => void): void {
    if (!member.consumer.noAck) member.credit -= 1
    hand(member.consumer)
  }

  function handToActive(hand: (consumer: Consumer) => void): boolean {
    const active = holder && members.get(holder)
    if (!active || !canTake(active)) return false
    handTo(active, hand)
    return true
  }

  function handToNext(hand: (consumer: Consumer) => void): boolean {
    for (let member = ring.take(); member; member = ring.take()) {
      if (canTake(member)) {
        ring.add(member) // behind its peers before the message goes out: handing over may end the consumer
        handTo(member, hand)
        return true
      }
      blocked.add(member)
    }
    return false
  }

  function forget(consumer: Consumer): void {
    const member = members.get(consumer)
    if (!member) return
    members.delete(consumer)
    blocked.delete(member)
    ring.remove(member)
  }

  function electHolder(): void {
    if (!holder || members.has(holder)) return
    holder = isSingleActive ? ring.peek()?.consumer : undefined
  }

  return {
    count() {
      return members.size
    },
    all() {
      return [...members.keys()]
    },
    holder() {
      return holder
    },
    add: (consumer) => {
      const credit = consumer.noAck || consumer.prefetch === 0 ? Number.POSITIVE_INFINITY : consumer.prefetch
      const member: Member = { consumer, priority: consumer.priority, credit }
      members.set(consumer, member)
      ring.add(member)
      if (consumer.isExclusive || isSingleActive) holder ??= consumer
    },
    remove: (consumer) => {
      forget(consumer)
      electHolder()
    },
    removeChannel: (channel) => {
      const ofChannel = [...members.keys()].filter((consumer) => consumer.channel === channel)
      for (const consumer of ofChannel) forget(consumer)
      electHolder()
      return ofChannel
    },
    handOver: (hand) => (isSingleActive ? handToActive(hand) : handToNext(hand)),
    release: (consumer, count) => {
      const member = members.get(consumer)
      if (member && !consumer.noAck) member.credit += count
    },
    wake: (channel) => {
      for (const member of [...blocked]) {
        if (member.consumer.channel !== channel || !canTake(member)) continue
        blocked.delete(member)
        ring.add(member)
      }
    },
  }
}
