import { createConsumerRing } from '../queue/consumer-ring.ts'
import type { Consumer, ConsumerChannel } from '../queue/queue.ts'
import type { QueuedMessage } from '../queue/queued-message.ts'

/** Someone who holds or may get messages of a quorum queue: a consumer, or one basic.get. */
export interface Member {
  /** Undefined for a basic.get. */
  consumer: Consumer | undefined
  readonly channel: ConsumerChannel
  /** Where it stands when several get messages at once. */
  readonly age: number
  priority: number
  /** How many more it may hold. */
  credit: number
  maxCredit: number
  /** Gets nothing more and goes when it holds nothing more. */
  isOnce: boolean
  status: 'up' | 'cancelled' | 'quiescing' | 'timed-out'
  /** What it holds, the oldest first. */
  readonly held: Set<QueuedMessage>
  /** What was taken from it because it held it for too long. */
  readonly timedOut: Set<QueuedMessage>
}

/** RabbitMQ turns "no limit" into this many for a consumer of a quorum queue. */
const creditWithoutPrefetch = 2000

export interface QuorumMembers {
  /** All but those who wait to become the single active one. */
  readonly current: ReadonlySet<Member>
  waiting(): readonly Member[]
  consumers(): readonly Consumer[]
  addConsumer(consumer: Consumer): void
  addGet(channel: ConsumerChannel): Member
  find(consumer: Consumer): Member | undefined
  /** Whether one of its name on its channel was cancelled and still holds messages. */
  isLeaving(consumer: Consumer): boolean
  /** Takes no more; keeps what it holds. */
  cancel(consumer: Consumer): void
  /** The members of a channel that has ended, in their order. Those that only wait are gone at once. */
  takeOut(channel: ConsumerChannel): readonly Member[]
  remove(member: Member): void
  /** Gives credit back and takes the member out if it is done. */
  refresh(member: Member, credit: number): void
  /** Lets the next one become active if the active one has gone or must yield. */
  activate(): void
  /** Whose turn it is; it loses its place until `refresh` gives it a new one. */
  next(): Member | undefined
  wake(channel: ConsumerChannel): void
}

export function createQuorumMembers({
  isSingleActive,
  hasCreditCeiling,
  sortsWaiting,
  compare,
}: {
  isSingleActive: boolean
  /** 3.x gives credit back without looking how much there should be. */
  hasCreditCeiling: boolean
  /** From 4.0 on the waiting consumer of highest priority comes first and takes over. */
  sortsWaiting: boolean
  /** The order in which members of one channel are looked after. */
  compare: (a: Member, b: Member) => number
}): QuorumMembers {
  const current = new Set<Member>()
  let waiting: Member[] = []
  const byConsumer = new Map<Consumer, Member>()
  const service = createConsumerRing<Member>()
  const parked = new Set<Member>()
  let nextAge = 0

  function createMember(fields: Pick<Member, 'consumer' | 'channel' | 'credit' | 'isOnce'>): Member {
    nextAge += 1
    return {
      ...fields,
      age: nextAge,
      priority: fields.consumer?.priority ?? 0,
      maxCredit: fields.credit,
      status: 'up',
      held: new Set(),
      timedOut: new Set(),
    }
  }

  function addConsumer(consumer: Consumer): void {
    const credit = consumer.prefetch === 0 ? creditWithoutPrefetch : consumer.prefetch
    const leaving = findNamesake(consumer)
    if (leaving && (!isSingleActive || !activeMember())) {
      returnToWork(leaving, consumer, credit)
      return
    }
    const member = createMember({ consumer, channel: consumer.channel, credit, isOnce: false })
    byConsumer.set(consumer, member)
    if (isSingleActive) addWaiting(member)
    else admit(member)
  }

  function findNamesake({ channel, tag }: Consumer): Member | undefined {
    for (const member of current)
      if (member.channel === channel && member.consumer?.tag === tag) return member
    return undefined
  }

  /** A consumer that was cancelled but still holds messages comes back under its old tag. */
  function returnToWork(member: Member, consumer: Consumer, credit: number): void {
    Object.assign(member, {
      consumer,
      priority: consumer.priority,
      maxCredit: credit,
      credit: Math.max(0, credit - member.held.size),
      isOnce: false,
      status: 'up',
    } satisfies Partial<Member>)
    byConsumer.set(consumer, member)
    admit(member)
  }

  function admit(member: Member): void {
    current.add(member)
    queueUp(member)
  }

  function queueUp(member: Member): void {
    if (member.credit > 0 && member.status === 'up' && !parked.has(member)) service.add(member)
  }

  function addWaiting(member: Member): void {
    waiting.push(member)
    if (!sortsWaiting) return
    waiting.sort((a, b) => b.priority - a.priority || b.credit - a.credit || a.age - b.age)
  }

  function activeMember(): Member | undefined {
    for (const member of current) {
      if (member.consumer && (member.status === 'up' || member.status === 'quiescing')) return member
    }
    return undefined
  }

  function activate(): void {
    if (!isSingleActive) return
    const active = activeMember()
    const candidate = waiting[0]
    if (candidate?.status !== 'up') return
    if (!active) promote(candidate)
    else if (sortsWaiting && candidate.priority > active.priority) yieldTo(candidate, active)
  }

  function promote(member: Member): void {
    waiting = waiting.filter((other) => other !== member)
    admit(member)
  }

  function yieldTo(candidate: Member, active: Member): void {
    if (active.held.size > 0) {
      active.status = 'quiescing'
      return
    }
    current.delete(active)
    service.remove(active)
    promote(candidate)
    addWaiting(active)
  }

  function remove(member: Member): void {
    current.delete(member)
    parked.delete(member)
    service.remove(member)
    if (member.consumer) byConsumer.delete(member.consumer)
  }

  function refresh(member: Member, credit: number): void {
    if (!member.isOnce) {
      const raised = member.credit + credit
      member.credit = hasCreditCeiling ? Math.min(member.maxCredit, raised) : raised
    }
    if (member.held.size === 0 && member.isOnce && member.credit === 0) remove(member)
    else if (member.held.size === 0 && member.status === 'quiescing') {
      member.status = 'up'
      current.delete(member)
      addWaiting(member)
    } else queueUp(member)
  }

  return {
    current,
    waiting() {
      return waiting
    },
    consumers() {
      return [...current, ...waiting].flatMap(({ consumer, status }) =>
        consumer && status !== 'cancelled' ? [consumer] : [],
      )
    },
    addConsumer,
    addGet: (channel) => {
      const member = createMember({ consumer: undefined, channel, credit: 0, isOnce: true })
      current.add(member)
      return member
    },
    find: (consumer) => byConsumer.get(consumer),
    isLeaving: (consumer) => findNamesake(consumer) !== undefined,
    cancel: (consumer) => {
      const member = byConsumer.get(consumer)
      if (!member) return
      if (waiting.includes(member)) {
        waiting = waiting.filter((other) => other !== member)
        byConsumer.delete(consumer)
        return
      }
      // It keeps its place in the line: should it come back before its turn, it is served as if it had never left.
      Object.assign(member, { isOnce: true, credit: 0, status: 'cancelled' } satisfies Partial<Member>)
      if (member.held.size === 0) remove(member)
    },
    takeOut: (channel) => {
      for (const { consumer } of waiting.filter((member) => member.channel === channel)) {
        if (consumer) byConsumer.delete(consumer)
      }
      waiting = waiting.filter((member) => member.channel !== channel)
      const left = [...current].filter((member) => member.channel === channel).sort(compare)
      // Whoever is gone must not come back into the line while its messages are taken from it.
      for (const member of left) {
        Object.assign(member, { isOnce: true, credit: 0, status: 'cancelled' } satisfies Partial<Member>)
      }
      return left
    },
    remove,
    refresh,
    activate,
    next: () => {
      for (let member = service.take(); member; member = service.take()) {
        if (!current.has(member) || member.credit === 0 || member.status !== 'up') continue
        if (member.channel.canSend()) return member
        parked.add(member)
      }
      return undefined
    },
    wake: (channel) => {
      for (const member of [...parked]) {
        if (member.channel !== channel) continue
        parked.delete(member)
        queueUp(member)
      }
    },
  }
}
