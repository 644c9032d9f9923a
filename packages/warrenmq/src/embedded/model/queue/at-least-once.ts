import { createFifo } from '../../../fifo.ts'
import type { DeathReason, Message } from '../message/message.ts'
import type { Queue, QueueSurroundings } from './queue.ts'
import type { QueuedMessage } from './queued-message.ts'

/** The dead letters of a quorum queue that are kept until every target has them. */
export interface AtLeastOnce {
  count(): number
  bytes(): number
  add(entry: QueuedMessage, reason: DeathReason): void
  /** Sends on what can be sent; `onSettled` is told when some have left. */
  pump(): void
  /** The way on may have changed. */
  retryUnsent(): void
  clear(): void
}

/** So many are on their way at once; that many that cannot leave hold up all others. */
const onTheWay = 32
const retryAfterMs = 180_000

interface PendingLetter {
  readonly entry: QueuedMessage
  readonly message: Message
  readonly reason: DeathReason
  readonly takenBy: Set<Queue>
  /** Undefined while there was nowhere to send it. */
  sentAtMs: number | undefined
}

export function createAtLeastOnce(
  queue: Queue,
  surroundings: QueueSurroundings,
  onSettled: () => void,
): AtLeastOnce {
  const discards = createFifo<{ entry: QueuedMessage; reason: DeathReason }>()
  const pending = new Set<PendingLetter>()
  const retry = surroundings.createDeadline(retryAll)
  let bytes = 0
  let isPumping = false
  let isRetryPlanned = false

  function pump(): void {
    if (isPumping || discards.size() === 0 || pending.size >= onTheWay) return
    isPumping = true
    surroundings.postpone(() => {
      isPumping = false
      while (discards.size() > 0 && pending.size < onTheWay) sendFirst()
      planRetry()
      onSettled()
    })
  }

  function sendFirst(): void {
    const { entry, reason } = discards.shift()!
    const message = surroundings.recordDeath(queue, entry.message, reason)
    const letter: PendingLetter = { entry, message, reason, takenBy: new Set(), sentAtMs: undefined }
    pending.add(letter)
    send(letter)
  }

  function send(letter: PendingLetter): void {
    const { takenBy, refusedBy } = surroundings.forward({
      queue: queue,
      message: letter.message,
      reason: letter.reason,
      alreadyAt: letter.takenBy,
    })
    for (const target of takenBy) letter.takenBy.add(target)
    if (takenBy.length + refusedBy.length > 0) letter.sentAtMs = surroundings.clock.now()
    const isStuck = letter.takenBy.has(queue) && surroundings.profile.quorum.keepsLettersToItself
    if (refusedBy.length === 0 && letter.takenBy.size > 0 && !isStuck) settle(letter)
  }

  function settle(letter: PendingLetter): void {
    pending.delete(letter)
    bytes -= letter.entry.sizeBytes
    if (pending.size === 0) callOffRetry()
  }

  function planRetry(): void {
    if (isRetryPlanned || pending.size === 0) return
    isRetryPlanned = true
    retry.moveTo(surroundings.clock.now() + retryAfterMs)
  }

  function callOffRetry(): void {
    isRetryPlanned = false
    retry.moveTo(undefined)
  }

  function retryAll(): void {
    isRetryPlanned = false
    retryUnsent()
  }

  function retryUnsent(): void {
    const now = surroundings.clock.now()
    for (const letter of [...pending]) {
      if (letter.sentAtMs === undefined || letter.sentAtMs + retryAfterMs <= now) send(letter)
    }
    planRetry()
    pump()
    onSettled()
  }

  return {
    count() {
      return discards.size() + pending.size
    },
    bytes() {
      return bytes
    },
    add: (entry, reason) => {
      bytes += entry.sizeBytes
      discards.push({ entry, reason })
    },
    pump,
    retryUnsent,
    clear: () => {
      discards.clear()
      pending.clear()
      bytes = 0
      callOffRetry()
    },
  }
}
