import type { Approval, AuditRecord, Note } from '../contract/contract.ts'
import type { OnceAnswer } from '../once/once-answer.ts'

/** How the one who asked was known, for what is done in their name later. */
export interface Asker extends Pick<AuditRecord, 'wayIn' | 'from'> {
  /** RabbitMQ tells what becomes of their account. */
  readonly isWatched?: boolean
}

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
  /** Somebody asks with an idempotency key. */
  | { readonly kind: 'request-begun'; readonly key: string; readonly request: string; readonly at: string }
  | {
      readonly kind: 'request-ended'
      readonly key: string
      /** The number of the notice that began it. */
      readonly begunIn: string
      /** Null where it failed. */
      readonly answer: OnceAnswer | null
    }
  /** What somebody tells everybody about a queue or a receipt. */
  | { readonly kind: 'note-written'; readonly note: Note }
  | { readonly kind: 'note-removed'; readonly queue: string }
  /** Tells the server that wrote it that it has read all that was there before. */
  | { readonly kind: 'hello' }

/** A notice as it stands in the stream; `number` is how its writer knows its own again. */
export interface NoticeRecord {
  readonly number: string
  readonly notice: Notice
}

/** A notice that was read. */
export interface HeardNotice extends NoticeRecord {
  /** A server with our key told it. */
  readonly isSigned: boolean
}
