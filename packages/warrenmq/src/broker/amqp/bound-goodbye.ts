/** A broker that was told goodbye and does not answer is not waited for. */
export const goodbyeMs = 5_000
/** A broker that is well answers within this, so it is granted although a deadline has passed. */
const leastGoodbyeMs = 250

/** How long a goodbye may take where whoever closes has so many milliseconds left. */
export function boundGoodbye(usualMs: number, withinMs: number = usualMs): number {
  return Math.min(usualMs, Math.max(leastGoodbyeMs, withinMs))
}
