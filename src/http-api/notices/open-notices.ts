import { Approvals } from '../approvals/approvals.ts'
import type { Sessions } from '../auth/sessions.ts'
import type { BrokerLine } from '../broker-line.ts'
import { NoticeBoard } from './notice-board.ts'

/** What is not set waits for nobody; the list is shown all the same. */
const usualLifetimeMs = 86_400_000

/** Opens the board, and has everybody hear of what concerns them, from its first notice on. */
export async function openNotices({
  line,
  sessions,
  lifetimeMs = usualLifetimeMs,
}: {
  readonly line: Pick<BrokerLine, 'consuming' | 'publishing'>
  readonly sessions: Sessions
  /** How long an approval may wait. */
  readonly lifetimeMs: number | undefined
}): Promise<{ readonly notices: NoticeBoard; readonly approvals: Approvals }> {
  const approvals = new Approvals({ tell: (notice) => notices.tell(notice), lifetimeMs })
  const notices = await NoticeBoard.open(line, (record) => {
    approvals.heard(record)
    const { notice } = record
    if (notice.kind === 'session-closed') sessions.close(notice.session, Date.parse(notice.expiresAt))
  })
  return { notices, approvals }
}
