import { describeResource } from '../describe-resource.ts'
import type { Message } from '../message/message.ts'
import type { EffectivePolicy } from '../policy/policies.ts'
import { ProtocolError } from '../protocol-error.ts'
import type {
  Consumer,
  ConsumerChannel,
  Fetched,
  Queue,
  QueueCounts,
  QueueDeclaration,
  QueueSurroundings,
  SettledEntries,
} from '../queue/queue.ts'
import type { QueueSettings } from '../queue/queue-settings.ts'
import type { QueuedMessage } from '../queue/queued-message.ts'
import { createClassicConsumers } from './classic-consumers.ts'
import {
  type ClassicState,
  countFailure,
  die,
  dropExpired,
  dropHeads,
  dropOverflow,
  handOut,
  hold,
  isOver,
  letGo,
  makeEntry,
  putBack,
  restartDisuse,
  run,
  wasDelivered,
} from './classic-state.ts'
import { createReadyMessages } from './ready-messages.ts'

/** A classic queue: messages come back to where they stood. */
export function createClassicQueue(
  declaration: QueueDeclaration,
  initial: { settings: QueueSettings; policy: EffectivePolicy },
  surroundings: QueueSurroundings,
): Queue {
  const queue: Queue = {
    resourceKind: 'queue',
    ...declaration,
    policy() {
      return state.policy
    },
    settings() {
      return state.settings
    },
    consumers() {
      return state.consumers.all()
    },
    isActive: (consumer) => !state.settings.hasSingleActiveConsumer || state.consumers.holder() === consumer,
    counts() {
      return countAll(state)
    },
    enqueue: (message) => enqueue(state, message),
    get: ({ noAck }) => fetch(state, noAck),
    consume: (consumer) => letIn(state, consumer),
    start: () => run(state),
    cancel: (consumer) => {
      state.consumers.remove(consumer)
      if (isOutlived(state)) surroundings.remove(queue)
      else {
        run(state)
        restartDisuse(state)
      }
    },
    settle: (settled) => settleEntries(state, settled),
    channelDown: (channel, held) =>
      takeBack(
        state,
        channel,
        held.map(({ entry }) => entry),
      ),
    channelReady: (channel) => {
      state.consumers.wake(channel)
      run(state)
    },
    purge: () => {
      const purged = state.ready.size()
      state.ready.clear()
      dropExpired(state)
      return purged
    },
    forgetTransient: () => forgetTransient(state),
    // RabbitMQ takes the limits of a queue before it takes what to do about them, also when it starts.
    restored: () => void dropHeads(state),
    applySettings: (settings, policy) => {
      // RabbitMQ takes the limits before it takes what to do about them.
      state.settings = { ...settings, overflow: state.settings.overflow }
      dropOverflow(state)
      state.settings = settings
      state.policy = policy
      restartDisuse(state)
      dropOverflow(state)
      run(state)
    },
    touch: () => restartDisuse(state),
    stop: () => {
      state.expiry.moveTo(undefined)
      state.disuse.moveTo(undefined)
      state.ready.clear()
      return state.consumers.all()
    },
    messages: () => state.ready.inOrder(),
  }
  const state: ClassicState = {
    ...initial,
    queue,
    surroundings,
    ready: createReadyMessages(initial.settings.maxPriority),
    consumers: createClassicConsumers({ isSingleActive: initial.settings.hasSingleActiveConsumer }),
    expiry: surroundings.createDeadline(() => run(state)),
    disuse: surroundings.createDeadline(() => {
      if (state.consumers.count() === 0) surroundings.remove(queue)
    }),
    nextPosition: 0,
    hadConsumers: false,
    unacknowledged: 0,
    unacknowledgedBytes: 0,
  }
  restartDisuse(state)
  return queue
}

function enqueue(state: ClassicState, message: Message): boolean {
  const { ready, settings, surroundings } = state
  const wouldOverflow = isOver(state, ready.size() + 1, ready.bytes() + message.bodyBytes)
  if (settings.overflow !== 'drop-head' && wouldOverflow) {
    if (settings.overflow === 'reject-publish-dlx') surroundings.deadLetter(state.queue, message, 'maxlen')
    return false
  }
  const entry = makeEntry(state, message)
  const isHanded =
    ready.size() === 0 &&
    state.consumers.handOver((consumer) => handOut(state, entry, { consumer, isRedelivered: false }))
  if (isHanded) return true
  ready.add(entry)
  const hasDropped = dropOverflow(state)
  if (hasDropped || ready.peek() === entry) dropExpired(state)
  return true
}

function fetch(state: ClassicState, noAck: boolean): Fetched | undefined {
  restartDisuse(state)
  dropExpired(state)
  const entry = state.ready.take()
  if (!entry) return undefined
  dropExpired(state)
  if (!noAck) hold(state, entry)
  const delivery = {
    queue: state.queue,
    consumer: undefined,
    entry,
    isRedelivered: wasDelivered(entry),
    properties: entry.message.properties,
    needsAck: !noAck,
  }
  return { delivery, remaining: state.ready.size() }
}

function letIn(state: ClassicState, consumer: Consumer): void {
  const { consumers, settings, queue } = state
  const isTaken = settings.hasSingleActiveConsumer
    ? consumer.isExclusive
    : consumers.holder() !== undefined || (consumer.isExclusive && consumers.count() > 0)
  if (isTaken) {
    const resource = describeResource({ kind: 'queue', name: queue.name, vhost: queue.vhost })
    throw new ProtocolError('ACCESS_REFUSED', `${resource} in exclusive use`)
  }
  consumers.add(consumer)
  state.hadConsumers = true
}

function settleEntries(
  state: ClassicState,
  { channel, consumer, entries, settlement }: SettledEntries,
): void {
  if (consumer) state.consumers.release(consumer, entries.length)
  state.consumers.wake(channel)
  const isReturn = settlement === 'return' || settlement === 'reject-return'
  for (const entry of entries) {
    if (isReturn) putBack(state, entry, settlement)
    else {
      letGo(state, entry)
      countFailure(state, entry, settlement)
      if (settlement !== 'ack') die(state, entry, 'rejected')
    }
  }
  if (isReturn) dropOverflow(state)
  run(state)
}

/** An auto-delete queue goes with its last consumer, and with it what that consumer held. */
function isOutlived({ queue, hadConsumers, consumers }: ClassicState): boolean {
  return queue.isAutoDelete && hadConsumers && consumers.count() === 0
}

function takeBack(state: ClassicState, channel: ConsumerChannel, held: readonly QueuedMessage[]): void {
  state.consumers.removeChannel(channel)
  // A broker that is gone deletes nothing: the queue is found as it was, and waits for its next first consumer.
  if (isOutlived(state) && state.surroundings.isUp()) {
    state.surroundings.remove(state.queue)
    return
  }
  restartDisuse(state)
  for (const entry of held) putBack(state, entry, 'channel-down')
  dropOverflow(state)
  run(state)
}

function forgetTransient(state: ClassicState): void {
  const { ready } = state
  const kept = ready.inOrder().filter(({ message }) => message.isPersistent)
  ready.clear()
  for (const entry of kept) {
    if (entry.returnCount > 0) ready.putBack(entry)
    else ready.add(entry)
  }
  state.hadConsumers = false
  dropExpired(state) // another message may stand at the head now, which expires sooner
}

function countAll({ ready, consumers, unacknowledged, unacknowledgedBytes }: ClassicState): QueueCounts {
  return {
    ready: ready.size(),
    unacknowledged,
    declaredConsumers: consumers.count(),
    consumers: consumers.count(),
    readyBytes: ready.bytes(),
    unacknowledgedBytes,
    deadLetters: 0,
    deadLetterBytes: 0,
    delayed: 0,
  }
}
