import type { Output } from '../../broker/amqp/output.ts'
import type { Clock } from '../../clock.ts'
import { headerInteger } from '../../message/header-values.ts'
import { consumerHeaders } from '../settle/consumer-headers.ts'
import type { Run } from './run.ts'

/**
 * Every start of a handler passes this gate, because a handler may end its process. Before it starts, the kernel gets
 * all settlements: an ack that is only buffered would die with the process. The same message would then come again, be
 * handled again, and if it was republished, be there twice.
 */
export interface StartGate {
  /** May its handler start now? If not, `reopened` is called later. */
  isOpenFor(run: Pick<Run, 'delivery' | 'headers'>): boolean
  /** A copy of a message is published, to its own queue or elsewhere. */
  moving(isHome: boolean): void
  /** It is confirmed and its original acknowledged; or it could not be placed. */
  moved(isHome: boolean): void
}

/** A broker that takes this long to confirm a copy has an alarm, and handlers continue in the meantime, in milliseconds. */
const longestWaitMs = 5_000

export function createStartGate({
  clock,
  concurrency,
  output,
  reopened,
}: {
  readonly clock: Clock
  readonly concurrency: number
  readonly output: () => Pick<Output, 'sendAll' | 'whenSent'> | undefined
  readonly reopened: () => void
}): StartGate {
  /** Copies in flight to our own queue. One may be delivered before it is confirmed; then its original is there as well. */
  let copies = 0
  let waitsUntilMs = 0
  let callOff: (() => void) | undefined
  let isClosed = false
  let hasMoved = false
  let startsInTurn = 0

  const endTurn = (): void => {
    startsInTurn = 0
  }

  function reopen(): void {
    callOff?.()
    callOff = undefined
    if (!isClosed) return
    isClosed = false
    reopened()
  }

  function waitsForCopies(): boolean {
    if (copies === 0) return false
    const leftMs = waitsUntilMs - clock.now()
    if (leftMs <= 0) return false
    isClosed = true
    callOff ??= clock.schedule(leftMs, reopen)
    return true
  }

  /**
   * Handlers that start together, no more than run at a time, start after one write. Not so after a copy was made, nor one
   * that has been delivered before, which may have ended a process already.
   */
  function mustSend({ delivery, headers }: Pick<Run, 'delivery' | 'headers'>): boolean {
    if (startsInTurn === 0 || startsInTurn >= concurrency || hasMoved) return true
    return delivery.isRedelivered || headerInteger(headers, consumerHeaders.recounts) !== undefined
  }

  function isSent(): boolean {
    const out = output()
    if (!out || out.sendAll()) return true
    if (!isClosed) out.whenSent(reopen)
    isClosed = true
    return false
  }

  return {
    isOpenFor: (run) => {
      if (waitsForCopies()) return false
      if (mustSend(run)) {
        if (!isSent()) return false
        if (startsInTurn === 0) queueMicrotask(endTurn)
        startsInTurn = 0
        hasMoved = false
      }
      startsInTurn += 1
      return true
    },
    moving: (isHome) => {
      if (!isHome) return
      if (copies === 0) waitsUntilMs = clock.now() + longestWaitMs
      copies += 1
    },
    moved: (isHome) => {
      hasMoved = true
      if (!isHome) return
      copies -= 1
      // A turn later: what follows from the copy comes first.
      if (copies === 0) queueMicrotask(reopen)
    },
  }
}
