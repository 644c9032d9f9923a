import type { Clock } from '../../clock.ts'

/** A clock that can be stopped for good: all that was planned on it is called off, and no more is planned. */
export interface StoppableClock extends Clock {
  stop(): void
}

/** One place knows all that is planned, so that no queue or channel needs to be asked for its timers in the end. */
export function createStoppableClock(clock: Clock): StoppableClock {
  const planned = new Set<() => void>()
  let isStopped = false

  return {
    now: () => clock.now(),
    schedule: (delayMs, task) => {
      if (isStopped) return () => undefined
      const callOffTask = clock.schedule(delayMs, () => {
        planned.delete(callOff)
        task()
      })
      const callOff = (): void => {
        planned.delete(callOff)
        callOffTask()
      }
      planned.add(callOff)
      return callOff
    },
    stop: () => {
      isStopped = true
      for (const callOff of planned) callOff()
    },
  }
}
