import Type, { type TSchema } from 'typebox'
import Value from 'typebox/value'
import { storedApproval } from '../contract/approvals.ts'
import { storedRedrive } from '../contract/requests.ts'
import { oneOf, text, textOrNull } from '../contract/text-or-null.ts'
import type { Notice, NoticeRecord } from './notice.ts'

const asks = Type.Union([
  Type.Object({ action: oneOf(['redrive']), request: storedRedrive }),
  Type.Object({ action: oneOf(['discard']), queue: text, request: Type.Object({}) }),
  Type.Object({ action: oneOf(['apply']), request: Type.Object({}) }),
])
const shapes: readonly TSchema[] = [
  Type.Object({ kind: oneOf(['hello']) }),
  Type.Object({ kind: oneOf(['session-closed']), session: text, expiresAt: text }),
  Type.Object({
    kind: oneOf(['approval-asked']),
    approval: Type.Intersect([storedApproval, Type.Object({ asks })]),
    asker: Type.Object({ wayIn: text, from: text, isWatched: Type.Optional(Type.Boolean()) }),
  }),
  Type.Object({
    kind: oneOf(['approval-decided']),
    id: text,
    decision: oneOf(['granted', 'refused']),
    by: text,
    at: text,
  }),
  Type.Object({
    kind: oneOf(['note-written']),
    note: Type.Object({
      id: text,
      about: oneOf(['queue', 'task']),
      queue: text,
      task: textOrNull,
      text: Type.String({ maxLength: 500 }),
      by: text,
      at: text,
    }),
  }),
  Type.Object({ kind: oneOf(['note-removed']), queue: text }),
  Type.Object({ kind: oneOf(['request-begun']), key: text, request: text, at: text }),
  Type.Object({
    kind: oneOf(['request-ended']),
    key: text,
    begunIn: text,
    answer: Type.Union([
      Type.Null(),
      Type.Object({ status: Type.Integer(), location: textOrNull, body: Type.Unknown() }),
    ]),
  }),
]
const record = Type.Object({ number: text, notice: Type.Object({}) })

/** Reads a record. Undefined for what is none, such as one that a later version wrote. */
export function readNotice(value: unknown): NoticeRecord | undefined {
  if (!Value.Check(record, value)) return undefined
  const { number, notice } = value as NoticeRecord
  const isKnown = shapes.some((shape) => Value.Check(shape, notice))
  return isKnown && timesOf(notice).every(isTime) ? { number, notice } : undefined
}

/** What is compared with the time of now. */
function timesOf(notice: Notice): readonly string[] {
  switch (notice.kind) {
    case 'session-closed':
      return [notice.expiresAt]
    case 'approval-asked':
      return [notice.approval.askedAt, notice.approval.expiresAt]
    case 'approval-decided':
    case 'request-begun':
      return [notice.at]
    case 'note-written':
      return [notice.note.at]
    case 'note-removed':
    case 'request-ended':
    case 'hello':
      return []
  }
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text))
}
