import type { Writable } from 'node:stream'
import { type Clock, realClock } from 'warrenmq/operations'
import { stillThere, streamHead } from './render-event.ts'

/** Where events go. Only these of it are used, so that it need not be a socket. */
export type EventSink = Pick<
  Writable,
  'write' | 'end' | 'destroy' | 'once' | 'writableEnded' | 'writableNeedDrain' | 'destroyed'
>

export interface EventStream {
  readonly out: EventSink
  /** The next event that is due; undefined where there is none now. */
  readonly next: () => string | undefined
  /** Nothing more will come. */
  readonly isOver: () => boolean
  /** Calls what it is given when there may be something to tell before the next look; returns how to stop that. */
  readonly onChange?: (look: () => void) => () => void
  readonly clock?: Clock
}

/** How often there is a look whether something is due. */
const lookEveryMs = 500
const pingEveryMs = 15_000
/** Whoever reads nothing for so long has gone without a word, or means no good. */
const mostUnreadMs = 30_000

/** Writes server-sent events for as long as somebody reads them. */
export function writeEvents({ out, next, isOver, onChange, clock = realClock }: EventStream): void {
  let sentAtMs = clock.now()
  let stop = (): void => {}

  function write(text: string): void {
    out.write(text)
    sentAtMs = clock.now()
  }

  function writeDue(): boolean {
    let hasWritten = false
    // What is due is made when it is sent, so nothing waits here for those who do not read.
    while (!out.writableNeedDrain) {
      const event = next()
      if (event === undefined) break
      write(event)
      hasWritten = true
    }
    return hasWritten
  }

  function look(): void {
    if (out.destroyed) return
    if (out.writableNeedDrain || out.writableEnded) {
      if (clock.now() - sentAtMs >= mostUnreadMs) out.destroy()
      return
    }
    if (!writeDue() && clock.now() - sentAtMs >= pingEveryMs) write(stillThere)
    if (isOver()) out.end()
  }

  function lookAgain(): void {
    look()
    if (!out.destroyed) stop = clock.schedule(lookEveryMs, lookAgain)
  }

  const stopListening = onChange?.(look)
  out.once('close', () => {
    stop()
    stopListening?.()
  })
  write(streamHead)
  lookAgain()
}
