import type { Writable } from 'node:stream'
import { type Clock, realClock } from 'warrenmq/operations'

/** Slow lines take some of a download every few seconds; one that takes nothing for so long is held on purpose. */
const mostStalledMs = 60_000
const lookEveryMs = 5_000

/** Cuts a connection on which somebody asked for much and reads nothing, so that it does not keep files and memory. */
export function cutStalled(
  out: Pick<Writable, 'on' | 'once' | 'destroy' | 'destroyed' | 'writableNeedDrain'>,
  clock: Clock = realClock,
): void {
  let movedAtMs = clock.now()
  let stop = (): void => {}
  const look = (): void => {
    if (out.destroyed) return
    if (!out.writableNeedDrain) movedAtMs = clock.now()
    if (clock.now() - movedAtMs >= mostStalledMs) out.destroy()
    else stop = clock.schedule(lookEveryMs, look)
  }
  out.on('drain', () => {
    movedAtMs = clock.now()
  })
  out.once('close', () => stop())
  look()
}
