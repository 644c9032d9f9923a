import { ConsumerError } from '../../errors.ts'
import type { SettledConsumerOptions } from '../settle-consumer-options.ts'
import { createAlarm } from './alarm.ts'
import type { PlacedSet } from './placed-set.ts'
import type { Run } from './run.ts'
import { interruptRun } from './run-handler.ts'

/** When handlers have to begin and to end. One timer for all: timers per message would cost too much. */
export interface HandlerDeadlines {
  /** Would its handler, if it began now, have all of its time? */
  isInTime(run: Run, nowMs: number): boolean
  begin(run: Run, nowMs: number): void
  /** Its handler, which waited for something other than a place, starts. False if it would no longer have its time. */
  beginsNow(run: Run): boolean
  /** Leaves no timer behind. */
  stop(): void
}

export function createHandlerDeadlines({
  queue,
  options: { clock, timeoutMs, longestHoldMs, startWithinMs },
  running,
}: {
  readonly queue: string
  readonly options: Pick<SettledConsumerOptions, 'clock' | 'timeoutMs' | 'longestHoldMs' | 'startWithinMs'>
  readonly running: Pick<PlacedSet<Run>, 'list'>
}): HandlerDeadlines {
  const alarm = createAlarm(clock, interruptLate)

  function dueAt({ receivedAtMs }: Run, startedAtMs: number): number {
    return Math.min(startedAtMs + timeoutMs, receivedAtMs + longestHoldMs)
  }

  function interruptLate(nowMs: number): void {
    for (const run of running.list()) {
      const startedAtMs = run.startedAtMs ?? nowMs
      const dueMs = dueAt(run, startedAtMs)
      if (dueMs > nowMs) alarm.setBy(dueMs)
      else if (run.give) interruptRun(run, lateError(queue, dueMs - startedAtMs))
    }
  }

  const isInTime = ({ receivedAtMs }: Run, nowMs: number): boolean => nowMs <= receivedAtMs + startWithinMs

  function begin(run: Run, nowMs: number): void {
    run.startedAtMs = nowMs
    alarm.setBy(dueAt(run, nowMs))
  }

  return {
    isInTime,
    begin,
    beginsNow: (run) => {
      const nowMs = clock.now()
      if (!isInTime(run, nowMs)) return false
      begin(run, nowMs)
      return true
    },
    stop: alarm.stop,
  }
}

export function lateError(queue: string, allowedMs: number): ConsumerError {
  const message = `The handler of "${queue}" did not end within ${allowedMs} ms.`
  return new ConsumerError({ code: 'HANDLER_TIMEOUT', message })
}
