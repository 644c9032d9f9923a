/** A timer, as far as it tells whether something starts it over and over. */
export interface TimerRun {
  readonly delayMs: number
  readonly dueAtMs: number
  readonly isPending: boolean
  /** The calls that started it; the same for every round of a loop. */
  readonly calls: string
}

/**
 * The calls that start one timer after the other: each when the one before has run, and one runs now. Such is a loop
 * that looks after something in its own time; of a handler's timers several may run at once, or none is left.
 */
export function findLoops(timers: readonly TimerRun[]): readonly string[] {
  const byCalls = new Map<string, TimerRun[]>()
  for (const timer of timers) byCalls.set(timer.calls, [...(byCalls.get(timer.calls) ?? []), timer])
  return [...byCalls].filter(([, rounds]) => isLoop(rounds)).map(([calls]) => calls)
}

/** Timers count in whole milliseconds and may run a moment early. */
const earlyMs = 2

function isLoop(rounds: readonly TimerRun[]): boolean {
  if (rounds.length < 2) return false
  return rounds.every(({ dueAtMs, isPending }, at) => {
    const next = rounds[at + 1]
    if (!next) return isPending
    return !isPending && next.dueAtMs - next.delayMs >= dueAtMs - earlyMs
  })
}
