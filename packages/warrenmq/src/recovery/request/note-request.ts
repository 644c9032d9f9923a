import { createHash } from 'node:crypto'
import { editedBody } from './edited-body.ts'
import type { EditRequest, RedriveRequest } from './requests.ts'

/** A request as receipts and the audit log keep it: of an edit only what it is about, never what a message says. */
export interface NotedRequest extends Omit<RedriveRequest, 'edit'> {
  /** What the edit changed. */
  readonly edit?: NotedEdit
}

/** An edit without its contents. */
export interface NotedEdit {
  /** Of the new body; missing if the old one stays. */
  readonly bodySha256?: string
  /** The names of those that are set or taken off. */
  readonly headers?: readonly string[]
}

/**
 * A request as a task, a receipt and the audit log keep it: without the contents of an edit.
 * @example
 * ```ts
 * const noted = noteRequest({ queue: 'orders.dlq', edit: { body: '{}' } })
 * ```
 */
export function noteRequest({ edit, ...request }: RedriveRequest): NotedRequest {
  return edit ? { ...request, edit: noteEdit(edit) } : request
}

function noteEdit({ body, headers }: EditRequest): NotedEdit {
  return {
    ...(body !== undefined && { bodySha256: createHash('sha256').update(editedBody(body)).digest('hex') }),
    ...(headers && { headers: Object.keys(headers) }),
  }
}
