import { createAtLeastOnce } from './at-least-once.ts'
import { createDelayedReturns } from './delayed-returns.ts'
import type { DeathReason, Message } from './message.ts'
import type { EffectivePolicy } from './policies.ts'
import { createPublisherGate } from './publisher-gate.ts'
import type {
  Consumer,
  Delivery,
  Fetched,
  Queue,
  QueueDeclaration,
  QueuedMessage,
  QueueSurroundings,
  SettledEntries,
  Settlement,
} from './queue.ts'
import type { QueueSettings } from './queue-settings.ts'
import { createQuorumMembers, type Member } from './quorum-members.ts'
import { createQuorumReady } from './quorum-ready.ts'

/** RabbitMQ looks after an unused quorum queue only so often. */
const tickMs = 5000

type ReturnCause = Settlement | 'channel-down' | 'timeout'

/** A quorum queue: what comes back is counted, and served before what is fresh. */
export function createQuorumQueue(
  declaration: QueueDeclaration,
  initial: { settings: QueueSettings; policy: EffectivePolicy },
  surroundings: QueueSurroundings,
): Queue {
  const { clock } = surroundings
  const rules = surroundings.profile.quorum
  let { settings, policy } = initial
  const ready = createQuorumReady(rules.priorities)
  const members = createQuorumMembers({
    isSingleActive: settings.hasSingleActiveConsumer,
    hasCreditCeiling: rules.hasCreditCeiling,
    sortsWaiting: rules.sortsWaitingConsumers,
  })
  const deadLetters = createAtLeastOnce(
    () => queue,
    surroundings,
    () => finish(),
  )
  const delayed = createDelayedReturns(surroundings, (entries) => {
    for (const entry of entries) ready.addReturned(entry)
    finish()
  })
  const gate = createPublisherGate()
  const expiry = surroundings.createDeadline(finish)
  const disuse = surroundings.createDeadline(() => {
    if (members.current.size === 0) surroundings.remove(queue)
  })
  const holding = surroundings.createDeadline(takeBackTimedOut)
  const createdAtMs = clock.now()
  let lastActiveMs = createdAtMs
  let nextPosition = 0
  let unacknowledged = 0
  let unacknowledgedBytes = 0

  function enqueue(message: Message, publisher: object | undefined): boolean {
    if (publisher && isRejecting() && !gate.admits(publisher, isOverLimit())) return false
    ready.add(makeEntry(message))
    finish()
    return true
  }

  function makeEntry(message: Message): QueuedMessage {
    const ttlMs = Math.min(
      settings.messageTtlMs ?? Number.POSITIVE_INFINITY,
      message.expirationMs ?? Number.POSITIVE_INFINITY,
    )
    nextPosition += 1
    return {
      message,
      position: nextPosition,
      // A message that may not wait at all gets the millisecond in which it came.
      expiresAtMs: clock.now() + Math.max(1, ttlMs),
      sizeBytes: rules.sizeOf(message),
      returnCount: 0,
      deliveryCount: rules.carriesDeliveryCount ? (message.carriedDeliveryCount ?? 0) : 0,
      heldUntilMs: Number.POSITIVE_INFINITY,
    }
  }

  /** What every change ends with: deliver what can be delivered, then look at the limits. */
  function finish(): void {
    checkOut()
    deadLetters.pump()
    enforceLimit()
    expiry.moveTo(finite(ready.nextExpiryMs()))
    planDisuse()
    planHolding()
  }

  function checkOut(): void {
    for (;;) {
      const handed = handOutBatch()
      if (handed.length === 0) return
      deliverBatch(handed)
    }
  }

  function handOutBatch(): { member: Member; entry: QueuedMessage }[] {
    const handed: { member: Member; entry: QueuedMessage }[] = []
    for (;;) {
      dropExpired()
      if (ready.size === 0) return handed
      const member = members.next()
      if (!member) return handed
      const entry = ready.take()!
      hold(member, entry)
      member.credit -= 1
      members.refresh(member, 0)
      handed.push({ member, entry })
    }
  }

  /** Each consumer gets its share of a batch in one go, so on one channel the shares are not mixed. */
  function deliverBatch(handed: { member: Member; entry: QueuedMessage }[]): void {
    if (handed.some(({ member }) => member !== handed[0]!.member)) handed.sort(compareShares)
    for (const { member, entry } of handed) {
      const consumer = member.consumer!
      consumer.channel.deliver(describe(entry, consumer, !consumer.noAck))
      if (consumer.noAck) complete(member, entry)
    }
  }

  function compareShares(a: { member: Member }, b: { member: Member }): number {
    if (rules.ordersDeliveriesBy === 'age') return a.member.age - b.member.age
    const [tagA, tagB] = [a.member.consumer!.tag, b.member.consumer!.tag]
    return tagA < tagB ? -1 : tagA > tagB ? 1 : a.member.channel.id - b.member.channel.id
  }

  function describe(entry: QueuedMessage, consumer: Consumer | undefined, needsAck: boolean): Delivery {
    return {
      queue,
      consumer,
      entry,
      isRedelivered: rules.isRedelivered(entry),
      properties: rules.renderProperties(entry, consumer === undefined),
      needsAck,
    }
  }

  function hold(member: Member, entry: QueuedMessage): void {
    entry.heldUntilMs = clock.now() + settings.consumerTimeoutMs
    member.held.add(entry)
    unacknowledged += 1
    unacknowledgedBytes += entry.sizeBytes
  }

  function letGo(member: Member, entry: QueuedMessage): boolean {
    if (!member.held.delete(entry)) return false
    unacknowledged -= 1
    unacknowledgedBytes -= entry.sizeBytes
    return true
  }

  function complete(member: Member, entry: QueuedMessage): void {
    if (letGo(member, entry)) refresh(member, 1)
  }

  function refresh(member: Member, credit: number): void {
    members.refresh(member, credit)
    if (!members.current.has(member)) lastActiveMs = clock.now()
  }

  function die(entry: QueuedMessage, reason: DeathReason): void {
    const carried = rules.carriesDeliveryCount && entry.deliveryCount > 0 ? entry.deliveryCount : undefined
    const message =
      carried === undefined ? entry.message : { ...entry.message, carriedDeliveryCount: carried }
    if (settings.isAtLeastOnce) deadLetters.add({ ...entry, message }, reason)
    else surroundings.deadLetter(queue, message, reason)
  }

  function dropExpired(): void {
    for (const entry of ready.takeExpired(clock.now())) die(entry, 'expired')
  }

  function settle({ consumer, entries, settlement }: SettledEntries): void {
    const member = consumer ? members.find(consumer) : findGet(entries[0])
    if (!member) return
    recoverFromTimeout(member, entries)
    if (settlement === 'return' || settlement === 'reject-return') giveBack(member, entries, settlement)
    else {
      for (const entry of entries) {
        if (!letGo(member, entry)) continue
        if (settlement !== 'ack') {
          entry.returnCount += 1
          if (rules.isFailure(settlement)) entry.deliveryCount += 1
          die(entry, 'rejected')
        }
        refresh(member, 1)
      }
    }
    members.activate()
    finish()
  }

  function findGet(entry: QueuedMessage | undefined): Member | undefined {
    if (!entry) return undefined
    return [...members.current].find((member) => !member.consumer && member.held.has(entry))
  }

  function giveBack(member: Member, entries: readonly QueuedMessage[], settlement: Settlement): void {
    const isToTail = rules.returnsToTailWithoutLimit && settings.deliveryLimit === undefined
    for (const entry of entries) {
      if (!isToTail) returnOne(member, entry, settlement)
      else if (letGo(member, entry)) {
        // Each is a command of its own, so what is free is handed out before the next comes back.
        nextPosition += 1
        entry.returnCount += 1
        entry.position = nextPosition
        ready.addToTail(entry)
        refresh(member, 1)
        checkOut()
      }
    }
  }

  function returnOne(member: Member, entry: QueuedMessage, cause: ReturnCause): void {
    if (!letGo(member, entry)) return
    entry.returnCount += 1
    const isFailure = rules.isFailure(cause)
    if (isFailure) entry.deliveryCount += 1
    const isOverDelivered = rules.limitedCount(entry) > (settings.deliveryLimit ?? Number.POSITIVE_INFINITY)
    if (isOverDelivered) die(entry, 'delivery_limit')
    else if (!delayed.take(entry, settings.delayedRetry, isFailure)) ready.addReturned(entry)
    refresh(member, isOverDelivered && rules.overcreditsAtLimit ? 2 : 1)
  }

  function recoverFromTimeout(member: Member, entries: readonly QueuedMessage[]): void {
    if (member.status !== 'timed-out') return
    for (const entry of entries) member.timedOut.delete(entry)
    if (member.timedOut.size === 0) member.status = 'up'
  }

  function takeBackTimedOut(): void {
    const now = clock.now()
    for (const member of members.current) {
      const late = [...member.held].filter((entry) => entry.heldUntilMs <= now)
      if (late.length === 0) continue
      for (const entry of late) {
        member.timedOut.add(entry)
        member.status = 'timed-out'
        returnOne(member, entry, 'timeout')
      }
      member.channel.released(queue, member.consumer, late)
    }
    members.activate()
    finish()
  }

  function planHolding(): void {
    if (!rules.takesBackAfterTimeout) return
    let soonest = Number.POSITIVE_INFINITY
    // The first that a member got is the first that it holds for too long.
    for (const { held } of members.current) {
      for (const { heldUntilMs } of held) {
        soonest = Math.min(soonest, heldUntilMs)
        break
      }
    }
    holding.moveTo(finite(soonest))
  }

  function get({ channel, noAck }: Parameters<Queue['get']>[0]): Fetched | undefined {
    lastActiveMs = clock.now()
    dropExpired()
    const entry = ready.take()
    let fetched: Fetched | undefined
    if (entry) {
      const delivery = describe(entry, undefined, !noAck)
      if (!noAck) hold(members.addGet(channel), entry)
      fetched = { delivery, remaining: ready.size }
    }
    finish()
    return fetched
  }

  function isRejecting(): boolean {
    return settings.overflow === 'reject-publish'
  }

  function length(): number {
    return ready.size + deadLetters.count + delayed.count
  }

  function isOverLimit(): boolean {
    return (
      length() > (settings.maxLength ?? Number.POSITIVE_INFINITY) ||
      ready.bytes + deadLetters.bytes > (settings.maxBytes ?? Number.POSITIVE_INFINITY)
    )
  }

  /** Publishers are let in again when the queue has fallen to four fifths of its limit. */
  function isBelowSoftLimit(): boolean {
    if (settings.maxLength === undefined && settings.maxBytes === undefined) return true
    const isBelow = (limit: number | undefined, actual: number) =>
      limit === undefined || actual <= Math.trunc(limit * 0.8)
    return (
      isBelow(settings.maxLength, length()) && isBelow(settings.maxBytes, ready.bytes + deadLetters.bytes)
    )
  }

  function enforceLimit(): void {
    if (isRejecting()) {
      if (isOverLimit()) gate.close()
      else if (isBelowSoftLimit()) gate.open()
    } else while (isOverLimit() && ready.size > 0) die(ready.take()!, 'maxlen')
  }

  function planDisuse(): void {
    if (settings.expiresMs === undefined || members.current.size > 0) {
      disuse.moveTo(undefined)
      return
    }
    const unusedAtMs = lastActiveMs + settings.expiresMs
    const ticks = Math.floor((unusedAtMs - createdAtMs) / tickMs) + 1
    disuse.moveTo(createdAtMs + ticks * tickMs)
  }

  const queue: Queue = {
    resourceKind: 'queue',
    ...declaration,
    get policy() {
      return policy
    },
    get settings() {
      return settings
    },
    get consumers() {
      return members.consumers
    },
    get counts() {
      return {
        ready: ready.size,
        unacknowledged,
        declaredConsumers: members.current.size,
        consumers: members.consumers.length,
        readyBytes: ready.bytes,
        unacknowledgedBytes,
        deadLetters: deadLetters.count,
        deadLetterBytes: deadLetters.bytes,
        delayed: delayed.count,
      }
    },
    enqueue,
    get,
    consume: (consumer) => members.addConsumer(consumer),
    start: () => {
      members.activate()
      finish()
    },
    cancel: (consumer) => {
      members.cancel(consumer)
      lastActiveMs = clock.now()
      members.activate()
      finish()
    },
    settle,
    channelDown: (channel) => {
      gate.forget(channel)
      for (const member of members.takeOut(channel)) {
        for (const entry of [...member.held]) returnOne(member, entry, 'channel-down')
        members.remove(member)
        lastActiveMs = clock.now()
      }
      members.activate()
      finish()
    },
    channelReady: (channel) => {
      members.wake(channel)
      finish()
    },
    purge: () => {
      let purged = ready.size
      ready.clear()
      if (rules.purgesDeadLetters) {
        purged += delayed.count + deadLetters.count
        delayed.clear()
        deadLetters.clear()
      }
      finish()
      return purged
    },
    applySettings: (nextSettings, nextPolicy) => {
      // Dead letters that wait for their target are deleted when the strategy changes.
      if (settings.isAtLeastOnce && !nextSettings.isAtLeastOnce) deadLetters.clear()
      settings = nextSettings
      policy = nextPolicy
      if (settings.isAtLeastOnce) deadLetters.retryUnsent()
      finish()
    },
    touch: () => undefined,
    stop: () => {
      for (const deadline of [expiry, disuse, holding]) deadline.moveTo(undefined)
      deadLetters.clear()
      delayed.clear()
      ready.clear()
      return members.consumers
    },
    messages: () => ready.inOrder(),
  }
  planDisuse()
  return queue
}

function finite(atMs: number): number | undefined {
  return atMs === Number.POSITIVE_INFINITY ? undefined : atMs
}
