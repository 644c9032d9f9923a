import type { Approval, AuditRecord } from '../contract.ts'

/** How the one who asked was known, for what is done in their name later. */
export type Asker = Pick<AuditRecord, 'wayIn' | 'from'>

/** What all servers must know besides tasks. */
export type Notice =
  | { readonly kind: 'session-closed'; readonly session: string; readonly expiresAt: string }
  | { readonly kind: 'approval-asked'; readonly approval: Approval; readonly asker: Asker }
  | {
      readonly kind: 'approval-decided'
      readonly id: string
      readonly decision: 'granted' | 'refused'
      readonly by: string
      readonly at: string
    }
  /** Tells the server that wrote it that it has read all that was there before. */
  | { readonly kind: 'hello' }

/** A notice as it stands in the stream; `number` is how its writer knows its own again. */
export interface NoticeRecord {
  readonly number: string
  readonly notice: Notice
}

/** Reads a record. Undefined for what is none, such as one that a later version wrote. */
export function readNotice(value: unknown): NoticeRecord | undefined {
  const { number, notice } = (value ?? {}) as Partial<NoticeRecord>
  return typeof number === 'string' && notice && isKnown(notice) ? { number, notice } : undefined
}

function isKnown(notice: Notice): boolean {
  switch (notice.kind) {
    case 'hello':
      return true
    case 'session-closed':
      return typeof notice.session === 'string' && typeof notice.expiresAt === 'string'
    case 'approval-asked':
      return typeof notice.approval?.id === 'string' && typeof notice.asker?.from === 'string'
    case 'approval-decided':
      return typeof notice.id === 'string' && ['granted', 'refused'].includes(notice.decision)
    default:
      return false
  }
}
