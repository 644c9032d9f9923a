import type { Broker } from '../broker.ts'
import { routeMessage } from '../exchange/route-message.ts'
import type { DeathReason, Message } from '../message/message.ts'
import type { Vhost } from '../vhost.ts'
import type { ForwardedLetter, Forwarding, Queue } from './queue.ts'

export interface DeadLetter {
  readonly broker: Broker
  readonly vhost: Vhost
  /** Where it died. */
  readonly queue: Queue
  readonly message: Message
  readonly reason: DeathReason
}

/** At most once: a dead letter without an exchange, a route or a willing queue is gone. */
export function sendDeadLetter(letter: DeadLetter): void {
  const exchange = letter.vhost.exchanges.get(letter.queue.settings().deadLetterExchange ?? '')
  if (!exchange) return
  const message = recordDeath(letter)
  for (const target of targetsOf({ ...letter, message })) {
    if (canReceive(letter.broker, target)) target.enqueue(message, undefined)
  }
}

/** Some targets lose what is sent to them without a word, and nobody asks again. */
function canReceive({ phase, profile }: Broker, target: Queue): boolean {
  if (target.kind === 'stream') return profile.deadLettersIntoStreams
  return target.kind !== 'quorum' || phase !== 'booting'
}

/** The message as it leaves the queue where it died: a new address, and its death written down. */
export function recordDeath({ broker, queue, message, reason }: DeadLetter): Message {
  return broker.profile.deaths.record(message, {
    queue: queue.name,
    reason,
    atMs: broker.clock.now(),
    isFromDisk: isFromDisk(queue, reason),
    deadLetterExchange: queue.settings().deadLetterExchange ?? '',
    deadLetterRoutingKey: queue.settings().deadLetterRoutingKey,
  })
}

/** What a lazy queue refuses has not been written anywhere. */
function isFromDisk(queue: Queue, reason: DeathReason): boolean {
  const { overflow, isLazy } = queue.settings()
  const isRefused = reason === 'maxlen' && overflow === 'reject-publish-dlx'
  return queue.kind === 'classic' && isLazy && !isRefused
}

/** At least once: who took it, and who refused. Both empty means that there was nowhere to go. */
export function forwardDeadLetter(
  letter: ForwardedLetter & { readonly broker: Broker; readonly vhost: Vhost },
): Forwarding {
  const takenBy: Queue[] = []
  const refusedBy: Queue[] = []
  for (const target of targetsOf(letter)) {
    if (letter.alreadyAt.has(target)) continue
    if (target.enqueue(letter.message, letter.queue)) takenBy.push(target)
    else refusedBy.push(target)
  }
  return { takenBy, refusedBy }
}

function targetsOf({ broker, vhost, queue, message, reason }: DeadLetter): readonly Queue[] {
  const exchange = vhost.exchanges.get(queue.settings().deadLetterExchange ?? '')
  if (!exchange) return []
  const routed = routeMessage(vhost, exchange, message)
  // A client that rejects a message decides itself whether it goes round for ever.
  if (reason === 'rejected') return routed
  return routed.filter((target) => !broker.profile.deaths.isCycle(message, target.name))
}
