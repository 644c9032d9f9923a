import { type IncomingMessage, joinBody } from '../broker/amqp/message.ts'
import { RecoveryError } from '../errors.ts'
import type { EncodedMessage } from '../publisher/outgoing-message.ts'
import type { FieldEntry, FieldTable } from '../wire/field-value.ts'
import { type PlainTable, toFieldTable } from '../wire/plain-fields.ts'
import { editProperties, readProperty } from '../wire/properties.ts'
import { decodeTable } from '../wire/read-field.ts'
import { recoveryHeaders } from './recovery-headers.ts'

/** What to change in a message before it is put back. */
export interface MessageEdit {
  /** The new body. @default as it was */
  readonly body?: Buffer | string
  /** Headers to add or replace; null takes one off. */
  readonly headers?: PlainTable
}

/** Headers must fit one frame, so a large body cannot be kept in one. */
const mostKeptBytes = 64 * 1024

/** Changes a message; what it was is kept in one header: its body and those headers that change. */
export function editMessage(fields: {
  message: EncodedMessage
  original: Pick<IncomingMessage, 'properties' | 'body'>
  edit: MessageEdit
}): EncodedMessage {
  const { message, original, edit } = fields
  const changes = Object.entries(edit.headers ?? {})
  const set = toFieldTable(Object.fromEntries(changes.filter(([, value]) => value !== null)))
  const previous = previousVersion(original, edit)
  return {
    ...message,
    properties: editProperties(message.properties, {
      headers: { set: [...set, previous], remove: (name) => edit.headers?.[name] === null },
    }),
    body: edit.body === undefined ? message.body : Buffer.from(edit.body as string),
  }
}

function previousVersion(
  { properties, body }: Pick<IncomingMessage, 'properties' | 'body'>,
  edit: MessageEdit,
): FieldEntry {
  const headers = readProperty(properties, 'headers')
  const changed: FieldTable = (headers === undefined ? [] : decodeTable(headers)).filter(
    ({ name }) => edit.headers && Object.hasOwn(edit.headers, name),
  )
  const bytes = joinBody(body)
  if (edit.body !== undefined && bytes.length > mostKeptBytes) throw tooLarge(bytes.length)
  return {
    name: recoveryHeaders.previous,
    value: {
      type: 'F',
      value: [
        ...(edit.body === undefined ? [] : [{ name: 'body', value: { type: 'x' as const, value: bytes } }]),
        { name: 'headers', value: { type: 'F', value: changed } },
      ],
    },
  }
}

function tooLarge(bytes: number): RecoveryError {
  return new RecoveryError({
    code: 'RECOVERY_EDIT_TOO_LARGE',
    message: `A body of ${bytes} bytes cannot be edited: the old one is kept in a header, and ${mostKeptBytes} bytes fit there. Back the message up with \`warren dlq backup\`, and publish the new one yourself.`,
  })
}
