import { escapeLine } from '../../message/escape-text.ts'
import type { RouteProof } from './route-book.ts'

/**
 * Says once per queue that messages which fail again go where a re-drive does not look. The plan says so as well, but
 * not everybody makes one first.
 */
export function unseenWarner(queue: string): (proof: RouteProof | undefined) => void {
  const told = new Set<string>()
  return (proof) => {
    if (!proof?.isSafe) return
    for (const end of proof.unseen) {
      if (told.has(end)) continue
      told.add(end)
      const warning =
        `Messages of "${queue}" that fail again go to "${end}", where this re-drive does not look: neither a canary nor ` +
        '--stop-when-dead notices them there. Watch that queue.'
      // Node writes it to the terminal as it is, and a name may hold anything.
      process.emitWarning(escapeLine(warning), { code: 'WARREN_REDRIVE_UNSEEN' })
    }
  }
}
