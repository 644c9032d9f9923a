import { EmbeddedBrokerError } from '../../errors.ts'
import { type Duration, parseDuration } from '../../message/duration.ts'
import type { VirtualClock } from '../model/virtual-clock.ts'
import type { AmqpConnection } from './amqp-connection.ts'

/** The clock of an embedded broker, as a test holds it. */
export interface BrokerClock {
  /** Milliseconds since 1970, as the broker sees them. */
  now(): number
  /**
   * Turns a virtual clock on: everything that becomes due happens in its order, and each time the clients get
   * what it sends them, and may answer, before time goes on.
   */
  advance(duration: Duration): Promise<void>
}

/** Whom to wait for, and how long in real time. */
export interface Settling {
  readonly connections: () => Iterable<AmqpConnection>
  readonly timeoutMs: number
}

export function steerVirtualClock(clock: VirtualClock, settling: Settling): BrokerClock {
  return {
    now: () => clock.now(),
    advance: async (duration) => {
      const untilMs = clock.now() + parseDuration(duration)
      await settle(settling)
      while (clock.step(untilMs)) {
        if (hasNews(settling.connections())) await settle(settling)
      }
      await settle(settling)
    },
  }
}

/** Turns of the event loop without a byte in either direction after which nothing more is to be expected. */
const quietTurns = 6
const nudgeAtTurn = 2

/**
 * As long may a client keep its answer to a delivery to itself, so as to send several at once: Warren's does for
 * 2 ms. Timers go off in the order in which they are due, so a client's shorter one is over when this one is.
 */
const answerMs = 50

/** Waits until the clients have what was sent to them and have said what they had to say to it. */
export async function settle({ connections, timeoutMs }: Settling): Promise<void> {
  const endsAtMs = performance.now() + timeoutMs
  const before = new Map([...connections()].map((connection) => [connection, connection.receivedBytes]))
  const assertEnding = (): void => {
    if (performance.now() > endsAtMs) throw neverSettles({ connections: connections(), before, timeoutMs })
  }
  await fallQuiet(connections, assertEnding)
  // What a client has had all that time and not answered it means to keep.
  while (noteHeld(connections())) {
    const received = totalReceived(connections())
    await new Promise((resolve) => setTimeout(resolve, answerMs))
    if (totalReceived(connections()) !== received) await fallQuiet(connections, assertEnding)
    assertEnding()
  }
}

async function fallQuiet(
  connections: () => Iterable<AmqpConnection>,
  assertEnding: () => void,
): Promise<void> {
  let quiet = 0
  let received = totalReceived(connections())
  while (quiet < quietTurns) {
    if (quiet === nudgeAtTurn) for (const connection of connections()) connection.nudge()
    await nextTurn()
    assertEnding()
    const now = totalReceived(connections())
    quiet = now === received && !hasNews(connections()) ? quiet + 1 : 0
    received = now
  }
}

/** Names who has sent most meanwhile, and what it consumes: that is where to look. */
function neverSettles({
  connections,
  before,
  timeoutMs,
}: {
  connections: Iterable<AmqpConnection>
  before: ReadonlyMap<AmqpConnection, number>
  timeoutMs: number
}): EmbeddedBrokerError {
  const sent = (connection: AmqpConnection): number =>
    connection.receivedBytes - (before.get(connection) ?? 0)
  const [busiest] = [...connections].toSorted((a, b) => sent(b) - sent(a))
  const queues = [...(busiest?.channels.values() ?? [])].flatMap(({ model }) =>
    [...model.consumers.values()].map(({ queue }) => `"${queue.name}"`),
  )
  const consumed = queues.length > 0 ? `, which consumes from ${[...new Set(queues)].join(', ')}` : ''
  return new EmbeddedBrokerError({
    code: 'EMBEDDED_NEVER_SETTLES',
    message:
      `The clients did not come to rest within ${timeoutMs} ms. Most was sent by ${busiest?.name ?? 'nobody'}${consumed}. ` +
      'Look for a handler that gives back what it gets, or raise settleTimeoutMs.',
  })
}

/** Tells whether a client holds a delivery that it did not hold when this was last asked. */
function noteHeld(connections: Iterable<AmqpConnection>): boolean {
  let isNew = false
  for (const { channels } of connections) {
    for (const { model } of channels.values()) {
      const { nextDeliveryTag, held } = model
      const noted = notedTags.get(model) ?? 1
      notedTags.set(model, nextDeliveryTag)
      for (let tag = nextDeliveryTag - 1; tag >= noted && !isNew; tag -= 1) isNew = held.has(tag)
    }
  }
  return isNew
}

/** The first tag of each channel that nobody has been given the time to answer. */
const notedTags = new WeakMap<object, number>()

function hasNews(connections: Iterable<AmqpConnection>): boolean {
  for (const connection of connections) if (!connection.isFlushed) return true
  return false
}

function totalReceived(connections: Iterable<AmqpConnection>): number {
  let sum = 0
  for (const { receivedBytes } of connections) sum += receivedBytes
  return sum
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
