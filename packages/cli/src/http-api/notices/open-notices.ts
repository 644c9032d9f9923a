import { Approvals } from '../approvals/approvals.ts'
import type { Sessions } from '../auth/sessions.ts'
import { Notes } from '../notes/notes.ts'
import { Once } from '../once/once.ts'
import type { ServerKeys } from '../records/server-keys.ts'
import type { Strays } from '../records/strays.ts'
import type { ServerBroker } from '../server-broker.ts'
import { NoticeBoard } from './notice-board.ts'

/** What is not set waits for nobody; the list is shown all the same. */
const usualLifetimeMs = 86_400_000

/** Each is remembered until the session would have expired. */
const mostUnproved = 10_000

/** The board, and who hears of what is told there. */
export interface SharedNotices {
  readonly notices: NoticeBoard
  readonly approvals: Approvals
  readonly notes: Notes
  readonly once: Once
}

/** Opens the board, and has everybody hear of what concerns them, from its first notice on. */
export async function openNotices({
  broker: { consuming, publishing },
  sessions,
  keys,
  strays,
  lifetimeMs = usualLifetimeMs,
}: {
  readonly broker: Pick<ServerBroker, 'consuming' | 'publishing'>
  readonly sessions: Sessions
  readonly keys: ServerKeys
  readonly strays: Strays
  /** How long an approval may wait. */
  readonly lifetimeMs: number | undefined
}): Promise<SharedNotices> {
  const approvals = new Approvals({ tell: (notice) => notices.tell(notice), lifetimeMs })
  const notes = new Notes((notice) => notices.tell(notice))
  const once = new Once((notice) => notices.tell(notice))
  let unproved = 0
  const notices = await NoticeBoard.open({ consuming, publishing, keys, strays }, (record) => {
    approvals.heard(record)
    notes.heard(record)
    once.heard(record)
    const { notice, isSigned } = record
    if (notice.kind !== 'session-closed') return
    // Whoever knows the number of a session may end it. That is believed of anybody, and not without end.
    if (!isSigned) unproved += 1
    if (isSigned || unproved <= mostUnproved) sessions.close(notice.session, Date.parse(notice.expiresAt))
  })
  return { notices, approvals, notes, once }
}
