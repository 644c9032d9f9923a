import { EmbeddedBrokerError } from '../../errors.ts'
import { escapeLine } from '../../message/escape-text.ts'
import { formatCounted } from '../../message/format-counted.ts'
import { performance, setImmediate } from '../../world.ts'
import type { AmqpConnection } from './amqp-connection.ts'
import { consumersInHand, type DeliveryNotes, holdsSome, isInHand } from './consumers-in-hand.ts'
import type { Wake } from './wake.ts'

/** Whom to wait for, and how long in real time. */
export interface Settling {
  readonly connections: () => Iterable<AmqpConnection>
  readonly timeoutMs: number
  /** How long a client may be silent after its last word before nothing more is expected of it. */
  readonly quietMs: number
  readonly wake: Wake
  /** What has been sent to clients, and what of it they have had the time to answer. */
  readonly sent: DeliveryNotes
  readonly answerable: DeliveryNotes
}

/** How to treat what a consumer holds. */
export interface SettleOptions {
  /**
   * What a consumer holds and has not settled. `wait`: its handler is at work, and is waited for. `pass`: it is meant to
   * be held; the consumer gets 50 ms for an answer that it gathers with others, and is passed over then.
   * @default 'wait'
   * @example { held: 'pass' }
   */
  readonly held?: 'wait' | 'pass'
}

/** Turns of the event loop without a byte in either direction after which nothing more is on its way. */
const quietTurns = 6
const nudgeAtTurn = 2

/** As long may a client that is passed over keep an answer to itself, so as to send several at once. */
const answerMs = 50

/** From then on whoever waits is told for whom: runners end a test after seconds, and would not know. */
const tellAfterMs = 1000

/**
 * Waits until the clients have what was sent to them, and have said all that they had to say to it. `isTurn`: time was
 * moved since they last came to rest.
 */
export async function settle(
  settling: Settling,
  { held = 'wait' }: SettleOptions = {},
  { isTurn = false }: { isTurn?: boolean } = {},
): Promise<void> {
  const { connections, timeoutMs, quietMs, wake } = settling
  const startedAtMs = performance.now()
  const before = new Map([...connections()].map((connection) => [connection, connection.receivedBytes()]))
  const isLate = (): boolean => performance.now() > startedAtMs + timeoutMs
  const assertEnding = (): void => {
    if (isLate()) throw neverSettles({ connections: connections(), before, timeoutMs })
  }
  await fallQuiet(connections, assertEnding)
  let mayFollow = hasDelivered(settling)
  let spokeAtMs = performance.now()
  let isTold = false
  for (;;) {
    const isHeld = held === 'wait' ? isInHand(connections()) : isNewlyHeld(settling)
    const isUnderWay = isHeld || (held === 'wait' && wake.isUnderWay(spokeAtMs))
    if (!isUnderWay && !mayFollow) break
    const received = totalReceived(connections())
    await wake.pause(held === 'pass' && isHeld ? answerMs : quietMs)
    if (held === 'wait' && isHeld) {
      if (isLate()) throw stillInHand(connections(), timeoutMs)
      if (!isTold && performance.now() > startedAtMs + tellAfterMs) {
        isTold = true
        tellOfWaiting(connections())
      }
    }
    await fallQuiet(connections, assertEnding)
    if (totalReceived(connections()) !== received) {
      mayFollow = hasDelivered(settling) || mayFollow
      spokeAtMs = performance.now()
    } else if (!isUnderWay) break
  }
  wake.close({ connections: [...connections()], spokeAtMs, isMeant: held === 'pass', isTurn })
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
    const now = totalReceived(connections())
    quiet = now === received && isFlushed(connections()) ? quiet + 1 : 0
    if (quiet === 0) assertEnding()
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
    connection.receivedBytes() - (before.get(connection) ?? 0)
  const [busiest] = [...connections].toSorted((a, b) => sent(b) - sent(a))
  const queues = [...(busiest?.channels.values() ?? [])].flatMap(({ model }) =>
    [...model.consumers.values()].map(({ queue }) => `"${queue.name}"`),
  )
  const consumed = queues.length > 0 ? `, which consumes from ${[...new Set(queues)].join(', ')}` : ''
  return new EmbeddedBrokerError({
    code: 'EMBEDDED_NEVER_SETTLES',
    message:
      `The clients did not come to rest within ${timeoutMs} ms. The busiest is ${busiest?.name ?? 'none'}${consumed}. ` +
      'Look for a handler that keeps giving messages back, or raise settleTimeout.',
  })
}

/** Names whom time would have passed over. */
function stillInHand(connections: Iterable<AmqpConnection>, timeoutMs: number): EmbeddedBrokerError {
  return new EmbeddedBrokerError({
    code: 'EMBEDDED_STILL_IN_HAND',
    message: `Not settled after ${timeoutMs} ms: ${describeHolders(connections)}. The clock waits for handlers. ${waysOut}`,
  })
}

function tellOfWaiting(connections: Iterable<AmqpConnection>): void {
  const holders = describeHolders(connections)
  if (holders === '') return // it has just been settled
  process.emitWarning(
    escapeLine(`The embedded broker has waited ${tellAfterMs} ms for ${holders}. ${waysOut}`),
    { code: 'EMBEDDED_STILL_IN_HAND' },
  )
}

const waysOut =
  "Let them end, raise settleTimeout, or pass { held: 'pass' } if a delivery is meant to be held."

function describeHolders(connections: Iterable<AmqpConnection>): string {
  return [...consumersInHand(connections)]
    .map(([who, count]) => `${formatCounted(count, 'delivery', 'deliveries')} from ${who}`)
    .join('; ')
}

/** Tells whether a client holds a delivery that it did not hold when this was last asked. */
function isNewlyHeld({ connections, answerable }: Settling): boolean {
  const isNew = answerable.served(connections()).some(holdsSome)
  answerable.note(connections())
  return isNew
}

/** Tells whether a client got deliveries since this was last asked: something may follow its answers. */
function hasDelivered({ connections, sent }: Settling): boolean {
  const isNew = sent.served(connections()).length > 0
  sent.note(connections())
  return isNew
}

function isFlushed(connections: Iterable<AmqpConnection>): boolean {
  for (const connection of connections) if (!connection.isFlushed()) return false
  return true
}

function totalReceived(connections: Iterable<AmqpConnection>): number {
  let sum = 0
  for (const connection of connections) sum += connection.receivedBytes()
  return sum
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
