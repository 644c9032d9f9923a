import { type ClassicConsumers, createClassicConsumers } from './classic-consumers.ts'
import type { Message } from './message.ts'
import type { EffectivePolicy } from './policies.ts'
import { ProtocolError } from './protocol-error.ts'
import type {
  Consumer,
  ConsumerChannel,
  Delivery,
  Queue,
  QueueDeclaration,
  QueuedMessage,
  QueueSurroundings,
  SettledEntries,
} from './queue.ts'
import type { QueueSettings } from './queue-settings.ts'
import { createReadyMessages } from './ready-messages.ts'
import { describeResource } from './resource-name.ts'

/** A classic queue: messages come back to where they stood, and nobody counts how often. */
export function createClassicQueue(
  declaration: QueueDeclaration,
  initial: { settings: QueueSettings; policy: EffectivePolicy },
  surroundings: QueueSurroundings,
): Queue {
  const { clock } = surroundings
  let { settings, policy } = initial
  const ready = createReadyMessages(settings.maxPriority)
  const consumers: ClassicConsumers = createClassicConsumers({
    isSingleActive: settings.hasSingleActiveConsumer,
  })
  const expiry = surroundings.createDeadline(() => run(false))
  const disuse = surroundings.createDeadline(() => {
    if (consumers.count === 0) surroundings.remove(queue)
  })
  let nextPosition = 0
  let hadConsumers = false
  let unacknowledged = 0
  let unacknowledgedBytes = 0

  function enqueue(message: Message): boolean {
    if (settings.overflow !== 'drop-head' && wouldOverflow(message)) {
      if (settings.overflow === 'reject-publish-dlx') surroundings.deadLetter(queue, message, 'maxlen')
      return false
    }
    const entry = makeEntry(message)
    if (ready.size === 0 && consumers.handOver((consumer) => handOut(entry, consumer))) return true
    ready.add(entry)
    const hasDropped = dropOverflow()
    if (hasDropped || ready.peek() === entry) dropExpired()
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
      expiresAtMs: clock.now() + ttlMs,
      sizeBytes: message.bodyBytes,
      returnCount: 0,
      deliveryCount: 0,
      heldUntilMs: Number.POSITIVE_INFINITY,
    }
  }

  function wouldOverflow(message: Message): boolean {
    return isOver(ready.size + 1, ready.bytes + message.bodyBytes)
  }

  function isOver(length: number, bytes: number): boolean {
    return (
      length > (settings.maxLength ?? Number.POSITIVE_INFINITY) ||
      bytes > (settings.maxBytes ?? Number.POSITIVE_INFINITY)
    )
  }

  function dropOverflow(): boolean {
    if (settings.overflow !== 'drop-head' || !isOver(ready.size, ready.bytes)) return false
    while (isOver(ready.size, ready.bytes)) surroundings.deadLetter(queue, ready.take()!.message, 'maxlen')
    return true
  }

  /** Only the head can expire: what stands behind a younger head waits with it. */
  function dropExpired(): void {
    const now = clock.now()
    while ((ready.peek()?.expiresAtMs ?? Number.POSITIVE_INFINITY) <= now) {
      surroundings.deadLetter(queue, ready.take()!.message, 'expired')
    }
    const next = ready.peek()?.expiresAtMs
    expiry.moveTo(next === Number.POSITIVE_INFINITY ? undefined : next)
  }

  function run(isLengthChecked: boolean): void {
    if (isLengthChecked) dropOverflow()
    dropExpired()
    while (ready.size > 0 && consumers.handOver((consumer) => handOut(ready.take()!, consumer))) dropExpired()
  }

  function handOut(entry: QueuedMessage, consumer: Consumer): void {
    if (!consumer.noAck) hold(entry)
    consumer.channel.deliver(describe(entry, consumer, !consumer.noAck))
  }

  function describe(entry: QueuedMessage, consumer: Consumer | undefined, needsAck: boolean): Delivery {
    const { properties } = entry.message
    return { queue, consumer, entry, isRedelivered: entry.returnCount > 0, properties, needsAck }
  }

  function hold(entry: QueuedMessage): void {
    unacknowledged += 1
    unacknowledgedBytes += entry.sizeBytes
  }

  function letGo(entry: QueuedMessage): void {
    unacknowledged -= 1
    unacknowledgedBytes -= entry.sizeBytes
  }

  function putBack(entry: QueuedMessage): void {
    letGo(entry)
    entry.returnCount += 1
    ready.putBack(entry)
  }

  function settle({ channel, consumer, entries, settlement }: SettledEntries): void {
    if (consumer) consumers.release(consumer, entries.length)
    consumers.wake(channel)
    for (const entry of entries) {
      if (settlement === 'return' || settlement === 'reject-return') putBack(entry)
      else {
        letGo(entry)
        if (settlement !== 'ack') surroundings.deadLetter(queue, entry.message, 'rejected')
      }
    }
    run(settlement === 'return' || settlement === 'reject-return')
  }

  function consume(consumer: Consumer): void {
    const isTaken = settings.hasSingleActiveConsumer
      ? consumer.isExclusive
      : consumers.holder !== undefined || (consumer.isExclusive && consumers.count > 0)
    if (isTaken) {
      throw new ProtocolError(
        'ACCESS_REFUSED',
        `${describeResource({ kind: 'queue', name: declaration.name, vhost: declaration.vhost })} in exclusive use`,
      )
    }
    consumers.add(consumer)
    hadConsumers = true
  }

  /** An auto-delete queue goes with its last consumer, and with it what that consumer held. */
  function leave(keepOn: () => void): void {
    if (declaration.isAutoDelete && hadConsumers && consumers.count === 0) surroundings.remove(queue)
    else keepOn()
  }

  function restartDisuse(): void {
    if (settings.expiresMs === undefined) disuse.moveTo(undefined)
    else if (consumers.count === 0) disuse.moveTo(clock.now() + settings.expiresMs)
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
      return consumers.all
    },
    get counts() {
      return {
        ready: ready.size,
        unacknowledged,
        declaredConsumers: consumers.count,
        consumers: consumers.count,
        readyBytes: ready.bytes,
        unacknowledgedBytes,
        deadLetters: 0,
        deadLetterBytes: 0,
        delayed: 0,
      }
    },
    enqueue,
    get: ({ noAck }) => {
      restartDisuse()
      dropExpired()
      const entry = ready.take()
      dropExpired()
      if (!entry) return undefined
      if (!noAck) hold(entry)
      return { delivery: describe(entry, undefined, !noAck), remaining: ready.size }
    },
    consume,
    start: () => run(false),
    cancel: (consumer) => {
      consumers.remove(consumer)
      leave(() => {
        run(false)
        restartDisuse()
      })
    },
    settle,
    channelDown: (channel: ConsumerChannel, held) => {
      consumers.removeChannel(channel)
      leave(() => {
        restartDisuse()
        for (const { entry } of held) putBack(entry)
        run(true)
      })
    },
    channelReady: (channel) => {
      consumers.wake(channel)
      run(false)
    },
    purge: () => {
      const purged = ready.size
      ready.clear()
      dropExpired()
      return purged
    },
    applySettings: (nextSettings, nextPolicy) => {
      settings = nextSettings
      policy = nextPolicy
      restartDisuse()
      run(true)
    },
    touch: restartDisuse,
    stop: () => {
      expiry.moveTo(undefined)
      disuse.moveTo(undefined)
      ready.clear()
      return consumers.all
    },
    messages: () => ready.inOrder(),
  }
  restartDisuse()
  return queue
}
