import type { Approval } from '../contract/contract.ts'
import type { Asker, HeardNotice } from '../notices/notice.ts'

/** An approval, and the notice that decided it. */
export interface KnownApproval {
  readonly approval: Approval
  readonly asker: Asker
  readonly decidedIn: string | undefined
}

export type KnownApprovals = ReadonlyMap<string, KnownApproval>

/** The longest list; older ones stay in the audit log. */
const mostApprovals = 1_000
/** Of those that anybody may have written, so that they cannot push out the others. */
const mostUnsigned = 100

/**
 * What is known after one more notice. The first decision counts; whatever comes after it changes nothing, and what
 * anybody may have written changes nothing of what one of us has.
 */
export function takeApprovalNotice(
  known: KnownApprovals,
  { number, notice, isSigned }: HeardNotice,
): KnownApprovals {
  if (notice.kind === 'approval-asked') {
    const approval = { ...notice.approval, isSigned }
    const found = known.get(approval.id)
    if (found && (found.approval.isSigned || !isSigned)) return known
    return withNewest(known, { approval, asker: notice.asker, decidedIn: undefined })
  }
  if (notice.kind !== 'approval-decided') return known
  const found = known.get(notice.id)
  if (found?.approval.isSigned && !isSigned) return known
  if (!found || stateOf(found.approval, Date.parse(notice.at)) !== 'waiting') return known
  const { decision: state, by: decidedBy, at: decidedAt } = notice
  const approval: Approval = { ...found.approval, state, decidedBy, decidedAt }
  return new Map([...known, [notice.id, { ...found, approval, decidedIn: number }]])
}

function withNewest(known: KnownApprovals, newest: KnownApproval): KnownApprovals {
  const { id, isSigned } = newest.approval
  const others = [...known].filter(([each]) => each !== id)
  const alike = others.filter(([, { approval }]) => approval.isSigned === isSigned)
  const forgotten = alike.length < mostOf(isSigned) ? undefined : decideForgotten(alike, newest)
  return new Map([...others.filter(([each]) => each !== forgotten), [id, newest]])
}

/** Whichever waits no more, else the oldest of whoever has asked for most: nobody pushes out what others wait for. */
function decideForgotten(
  known: readonly (readonly [string, KnownApproval])[],
  newest: KnownApproval,
): string | undefined {
  const nowMs = Date.parse(newest.approval.askedAt)
  const over = known.find(([, { approval }]) => stateOf(approval, nowMs) !== 'waiting')
  if (over) return over[0]
  const countOf = new Map<string, number>()
  for (const each of [...known.map(([, found]) => found), newest])
    countOf.set(nameOf(each), (countOf.get(nameOf(each)) ?? 0) + 1)
  const most = Math.max(...countOf.values())
  return known.find(([, found]) => countOf.get(nameOf(found)) === most)?.[0]
}

function nameOf({ approval, asker }: KnownApproval): string {
  return `${asker.wayIn} ${approval.by}`
}

function mostOf(isSigned: boolean): number {
  return isSigned ? mostApprovals : mostUnsigned
}

/** Nobody writes down that time has passed. */
export function stateOf({ state, expiresAt }: Approval, nowMs: number): Approval['state'] {
  return state === 'waiting' && Date.parse(expiresAt) <= nowMs ? 'expired' : state
}
