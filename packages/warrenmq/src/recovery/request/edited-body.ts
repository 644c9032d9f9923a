import type { EditRequest } from './requests.ts'

/** The bytes of the body that an edit asks for. */
export function editedBody(body: NonNullable<EditRequest['body']>): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.text, body.encoding)
}
