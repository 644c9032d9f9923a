import type { Approval } from '../contract.ts'
import type { Asker, NoticeRecord } from '../notices/notice.ts'

/** An approval, and the notice that decided it. */
export interface KnownApproval {
  readonly approval: Approval
  readonly asker: Asker
  readonly decidedIn: string | undefined
}

export type KnownApprovals = ReadonlyMap<string, KnownApproval>

/** The longest list; older ones stay in the audit log. */
const mostApprovals = 1_000

/** What is known after one more notice. The first decision counts; whatever comes after it changes nothing. */
export function takeApprovalNotice(known: KnownApprovals, { number, notice }: NoticeRecord): KnownApprovals {
  if (notice.kind === 'approval-asked') {
    const { approval, asker } = notice
    if (known.has(approval.id)) return known
    return new Map([
      ...[...known].slice(1 - mostApprovals),
      [approval.id, { approval, asker, decidedIn: undefined }],
    ])
  }
  if (notice.kind !== 'approval-decided') return known
  const found = known.get(notice.id)
  if (!found || stateOf(found.approval, Date.parse(notice.at)) !== 'waiting') return known
  const { decision: state, by: decidedBy, at: decidedAt } = notice
  const approval: Approval = { ...found.approval, state, decidedBy, decidedAt }
  return new Map([...known, [notice.id, { ...found, approval, decidedIn: number }]])
}

/** Nobody writes down that time has passed. */
export function stateOf({ state, expiresAt }: Approval, nowMs: number): Approval['state'] {
  return state === 'waiting' && Date.parse(expiresAt) <= nowMs ? 'expired' : state
}
