import { type IncomingMessage, joinBody } from '../../broker/amqp/message.ts'
import { InvalidArgumentError, RecoveryError } from '../../errors.ts'
import type { EncodedMessage } from '../../publisher/outgoing-message.ts'
import { decodeTable } from '../../wire/decode-table.ts'
import { encodeTable } from '../../wire/encode-table.ts'
import type { FieldEntry, FieldTable } from '../../wire/field-value.ts'
import { type PlainTable, toFieldTable } from '../../wire/plain-fields.ts'
import { editProperties, readProperty } from '../../wire/properties.ts'
import { recoveryHeaders } from '../put-back/recovery-headers.ts'

/** What to change in a message before it is put back. */
export interface MessageEdit {
  /** The new body. @default as it was */
  readonly body?: Buffer | string
  /** Headers to add or replace; null takes one off. Those that RabbitMQ or Warren write are refused. */
  readonly headers?: PlainTable
}

/** Headers must fit one frame, so a large body cannot be kept in one. */
const mostKeptBytes = 64 * 1024

/**
 * Written by RabbitMQ or by us. A death history that a client sends is believed before 4.0, and a message that waits on
 * its way is then dropped as one that goes round for ever. `CC` and `BCC` send copies to queues of the editor's choice;
 * the rest is the record of what was done.
 */
const reserved =
  /^(CC|BCC|x-death|x-(first|last)-death-.*|x-(delivery|acquired)-count|x-stream-.*|x-redriven-.*|x-original-.*|warren-.*)$/i

/** Why an edit cannot be made to any message; undefined if it can. Ask this before a message is taken. */
export function problemOfEdit({ headers = {} }: MessageEdit): string | undefined {
  const written = Object.keys(headers).find((name) => reserved.test(name))
  if (written !== undefined)
    return (
      `The header "${written}" cannot be edited, because RabbitMQ or Warren writes it. Leave it out: every re-drive ` +
      'removes the headers that a broker would act on, and keeps them in the header "warren-stripped".'
    )
  if (Object.hasOwn(headers, '')) return 'A header has no name. Give it one, or leave it out.'
  return problemOfTable(headers)
}

function problemOfTable(headers: PlainTable): string | undefined {
  try {
    encodeTable(toFieldTable(headers))
    return undefined
  } catch (error) {
    return `The headers cannot be encoded as an AMQP table: ${(error as Error).message}`
  }
}

/** Changes a message; what it was is kept in one header: its body and those headers that change. */
export function editMessage(fields: {
  message: EncodedMessage
  original: Pick<IncomingMessage, 'properties' | 'body'>
  edit: MessageEdit
}): EncodedMessage {
  const { message, original, edit } = fields
  const problem = problemOfEdit(edit)
  if (problem !== undefined) throw new InvalidArgumentError(problem)
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
