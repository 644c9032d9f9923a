import { escapeLine } from 'warrenmq/operations'
import type { AuditVerdict } from '../http-api/audit/audit-check.ts'
import type { ListedAuditRecord } from '../http-api/contract/contract.ts'

/**
 * One record on one line. Every field is somebody's word, so none may begin another line.
 * @param isKeyed whether seals were judged; without a key nobody can tell
 */
export function renderAuditRecord(
  record: ListedAuditRecord,
  { isKeyed, strong }: { readonly isKeyed: boolean; readonly strong: (text: string) => string },
): string {
  const { at, by, from, action, target, result, reason, isSigned } = record
  const mark = isKeyed && !isSigned ? 'NOT SIGNED  ' : ''
  const why = reason === null ? '' : ` (${reason})`
  const what = escapeLine(`${action} ${target}  ${result}${why}`)
  return `${mark}${escapeLine(at)}  ${strong(escapeLine(by))} from ${escapeLine(from)}  ${what}`
}

/** What was seen, whatever came of it. */
export function renderSeen({ records, writers, signed, unsigned, foreign, isKeyed }: AuditVerdict): string {
  const seals = isKeyed ? `${signed} signed, ${unsigned} not` : 'seals not checked'
  const others = foreign === 0 ? '' : `, and ${count(foreign, 'message')} not from Warren`
  return `${count(records, 'record')} of ${count(writers, 'writer')} (${seals})${others}`
}

/** The first problem, how many more there are, and how much was seen. */
export function renderBroken(verdict: AuditVerdict): string {
  const { problems, problemCount } = verdict
  const [first] = problems
  const more = problemCount === 1 ? '' : ` More problems: ${problemCount - 1}.`
  return `The audit log is broken at record ${(first?.at ?? 0) + 1}. ${first?.problem ?? ''}${more} Seen: ${renderSeen(verdict)}.`
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}

/** What to say of a log that is whole. */
export function renderWhole(verdict: AuditVerdict): readonly string[] {
  const { isKeyed, isCut, newest, unsigned } = verdict
  return [
    `${renderSeen(verdict)}: none changed, none missing, none out of order.`,
    ...(isKeyed
      ? []
      : [
          'Without WARREN_SERVER_KEY, seals are not checked: anybody who may write to the stream can add records, and anybody who may delete it can rewrite all of it.',
        ]),
    ...(isKeyed && unsigned > 0
      ? [`The ${unsigned} unsigned records do not prove who wrote them; --unsigned-before let them pass.`]
      : []),
    ...(isCut
      ? ['The oldest records are gone: RabbitMQ keeps a stream for as long as its policy says.']
      : []),
    `The newest is ${newest}. Keep it: --kept ${newest} proves later that nothing was cut off the end.`,
  ]
}
