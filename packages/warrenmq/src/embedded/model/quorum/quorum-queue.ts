import { createPublisherGate } from '../channel/publisher-gate.ts'
import type { EffectivePolicy } from '../policy/policies.ts'
import { createAtLeastOnce } from '../queue/at-least-once.ts'
import type {
  Consumer,
  Fetched,
  Queue,
  QueueCounts,
  QueueDeclaration,
  QueueSurroundings,
} from '../queue/queue.ts'
import type { QueueSettings } from '../queue/queue-settings.ts'
import { refuseUnmodelledConsumer } from '../refuse-unmodelled.ts'
import { compareMembers, describeDelivery, dropExpired, finish } from './check-out.ts'
import { createDelayedReturns } from './delayed-returns.ts'
import { isOverLimit, isRejecting } from './enforce-limit.ts'
import { createQuorumMembers } from './quorum-members.ts'
import { createQuorumReady } from './quorum-ready.ts'
import { hold, makeEntry, type QuorumState } from './quorum-state.ts'
import { settleEntries, takeBackFrom, takeBackTimedOut } from './take-back.ts'

/** A quorum queue: what comes back is counted, and served before what is fresh. */
export function createQuorumQueue(
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
      return state.members.consumers()
    },
    isActive: (consumer) => !state.members.waiting().some((member) => member.consumer === consumer),
    counts() {
      return countAll(state)
    },
    enqueue: (message, publisher) => {
      // Whoever was told that the queue is full stays away until it hears otherwise, whatever a policy says by then.
      const isFull = isRejecting(state) && isOverLimit(state)
      if (publisher && !state.gate.admits(publisher, isFull)) return false
      state.ready.add(makeEntry(state, message))
      finish(state)
      return true
    },
    get: (request) => fetch(state, request),
    consume: (consumer) => {
      refuseUnmodelledConsumer(state, consumer)
      state.members.addConsumer(consumer)
    },
    start: () => {
      state.members.activate()
      finish(state)
    },
    cancel: (consumer) => {
      state.members.cancel(consumer)
      state.lastActiveMs = surroundings.clock.now()
      state.members.activate()
      finish(state)
    },
    settle: (settled) => settleEntries(state, settled),
    channelDown: (channel) => takeBackFrom(state, channel),
    channelReady: (channel) => {
      state.members.wake(channel)
      finish(state)
    },
    purge: () => purge(state),
    restored: () => undefined,
    forgetTransient: () => undefined, // it writes every message to disk, whatever its delivery mode
    applySettings: (settings, policy) => applySettings(state, settings, policy),
    touch: () => undefined,
    stop: () => stop(state),
    messages: () => state.ready.inOrder(),
  }
  const state: QuorumState = createState(queue, initial, surroundings)
  finish(state)
  return queue
}

function createState(
  queue: Queue,
  initial: { settings: QueueSettings; policy: EffectivePolicy },
  surroundings: QueueSurroundings,
): QuorumState {
  const rules = surroundings.profile.quorum
  const nowMs = surroundings.clock.now()
  const state: QuorumState = {
    ...initial,
    queue,
    surroundings,
    rules,
    ready: createQuorumReady(rules.priorities),
    members: createQuorumMembers({
      isSingleActive: initial.settings.hasSingleActiveConsumer,
      hasCreditCeiling: rules.hasCreditCeiling,
      sortsWaiting: rules.sortsWaitingConsumers,
      compare: (a, b) => compareMembers(rules.ordersDeliveriesBy, a, b),
    }),
    deadLetters: createAtLeastOnce(queue, surroundings, () => finish(state)),
    delayed: createDelayedReturns(surroundings, (entries) => {
      for (const entry of entries) state.ready.addReturned(entry)
      finish(state)
    }),
    gate: createPublisherGate(),
    expiry: surroundings.createDeadline(() => finish(state)),
    disuse: surroundings.createDeadline(() => {
      if (state.members.current.size === 0) surroundings.remove(queue)
    }),
    holding: surroundings.createDeadline(() => takeBackTimedOut(state)),
    createdAtMs: nowMs,
    lastActiveMs: nowMs,
    nextPosition: 0,
    unacknowledged: 0,
    unacknowledgedBytes: 0,
  }
  return state
}

function countAll({ ready, members, deadLetters, delayed, ...state }: QuorumState): QueueCounts {
  return {
    ready: ready.size(),
    unacknowledged: state.unacknowledged,
    // RabbitMQ counts a basic.get that is not settled, and a consumer that has left but holds messages.
    declaredConsumers: members.current.size,
    consumers: members.consumers().length,
    readyBytes: ready.bytes(),
    unacknowledgedBytes: state.unacknowledgedBytes,
    deadLetters: deadLetters.count(),
    deadLetterBytes: deadLetters.bytes(),
    delayed: delayed.count(),
  }
}

function fetch(state: QuorumState, { channel, noAck }: Parameters<Queue['get']>[0]): Fetched | undefined {
  state.lastActiveMs = state.surroundings.clock.now()
  dropExpired(state)
  const entry = state.ready.take()
  const delivery = entry && describeDelivery(state, entry, { consumer: undefined, needsAck: !noAck })
  if (entry && !noAck) hold(state, state.members.addGet(channel), entry)
  const remaining = state.ready.size()
  finish(state)
  return delivery && { delivery, remaining }
}

function purge(state: QuorumState): number {
  let purged = state.ready.size()
  state.ready.clear()
  if (state.rules.purgesDeadLetters) {
    purged += state.delayed.count() + state.deadLetters.count()
    state.delayed.clear()
    state.deadLetters.clear()
  }
  finish(state)
  return purged
}

function applySettings(state: QuorumState, settings: QueueSettings, policy: EffectivePolicy): void {
  // Dead letters that wait for their target are deleted when the strategy changes.
  if (state.settings.isAtLeastOnce && !settings.isAtLeastOnce) state.deadLetters.clear()
  state.settings = settings
  state.policy = policy
  if (settings.isAtLeastOnce) state.deadLetters.retryUnsent()
  finish(state)
}

function stop(state: QuorumState): readonly Consumer[] {
  for (const deadline of [state.expiry, state.disuse, state.holding]) deadline.moveTo(undefined)
  for (const messages of [state.deadLetters, state.delayed, state.ready]) messages.clear()
  return state.members.consumers()
}
