import { type CallerName, isSameCaller } from '../auth/is-same-caller.ts'
import type { Role } from '../contract/contract.ts'

/** Who looks. */
export interface Looker extends CallerName {
  readonly role: Role
}

/** A piece of work that has a queue, or waits for it. */
export interface QueueTurn {
  readonly queue: string
  /** Of a look, of which only so many run at once; undefined for a task, which waits for its queue alone. */
  readonly looker: Looker | undefined
}

/** Looks at different queues at once; each holds messages unacknowledged while it runs. */
const mostLooks = 6
/** Those of one caller. */
const mostOfOne = 2
/** Of the looks, so many are kept for the roles above. */
const keptAbove: Readonly<Record<Role, number>> = { viewer: 2, operator: 1, admin: 0 }

/**
 * Whose turn it is, of those who wait in the order of their asking; undefined: nobody's yet. Of looks that could begin
 * the one is next whose caller has the fewest, so that nobody waits for all that somebody else has asked for.
 */
export function decideNextTurn<Turn extends QueueTurn>(
  running: readonly QueueTurn[],
  waiting: readonly Turn[],
): Turn | undefined {
  const looks = running.flatMap(({ looker }) => looker ?? [])
  const taken = new Set(running.map(({ queue }) => queue))
  let next: Turn | undefined
  let fewest = Number.POSITIVE_INFINITY
  for (const turn of waiting) {
    const { queue, looker } = turn
    if (taken.has(queue)) continue
    if (!looker) return turn
    const own = looks.filter((each) => isSameCaller(each, looker)).length
    if (mayLook(looks, looker) && own < fewest) {
      next = turn
      fewest = own
    }
  }
  return next
}

function mayLook(looks: readonly Looker[], looker: Looker): boolean {
  const own = looks.filter((each) => isSameCaller(each, looker)).length
  return own < mostOfOne && looks.length < mostLooks - keptAbove[looker.role]
}
