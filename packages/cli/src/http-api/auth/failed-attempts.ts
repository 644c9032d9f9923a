/** Wrong credentials of late, by who tried: an address or an account. Times in milliseconds. */
export type FailedAttempts = ReadonlyMap<string, { readonly count: number; readonly sinceMs: number }>

export interface AttemptRule {
  readonly most: number
  readonly windowMs: number
}

/** How long nobody may try under this name, in milliseconds; 0 for not at all. */
export function lockedForMs(
  attempts: FailedAttempts,
  { name, nowMs, rule }: { name: string; nowMs: number; rule: AttemptRule },
): number {
  const entry = attempts.get(name)
  if (!entry || entry.count < rule.most) return 0
  return Math.max(0, entry.sinceMs + rule.windowMs - nowMs)
}

/** More names than this are not remembered: whoever tries under many must not fill the memory. */
const mostNames = 10_000

/** The attempts after one more failed. A window that has passed begins anew. */
export function countFailure(
  attempts: FailedAttempts,
  { name, nowMs, rule }: { name: string; nowMs: number; rule: AttemptRule },
): FailedAttempts {
  const isOver = ({ sinceMs }: { sinceMs: number }): boolean => sinceMs + rule.windowMs <= nowMs
  const entry = attempts.get(name)
  const counted =
    entry && !isOver(entry) ? { ...entry, count: entry.count + 1 } : { count: 1, sinceMs: nowMs }
  const kept =
    attempts.size < mostNames
      ? attempts
      : [...attempts].filter(([, each]) => !isOver(each)).slice(-mostNames / 2)
  return new Map([...kept, [name, counted]])
}
