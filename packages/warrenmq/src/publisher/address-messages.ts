import { InvalidArgumentError } from '../errors.ts'
import { wayOut } from '../message/refuse-unknown.ts'
import { describeIssues } from '../message/standard-schema.ts'
import { checkedSchema } from '../topology/define-messages.ts'
import type { MessageDeclaration, MessageDeclarations } from '../topology/message-declaration.ts'
import { encodeBody } from './encode-body.ts'
import type { OutgoingMessage } from './outgoing-message.ts'
import type { PublishOptions } from './publish-options.ts'

/** What you may set on a message that is published by name: everything that the name does not decide. */
export interface NamedPublishOptions
  extends Omit<OutgoingMessage, 'exchange' | 'key' | 'body' | 'type'>,
    PublishOptions {}

/** Messages that are published by their name, as messages that name their address. */
export async function addressMessages(
  messages: MessageDeclarations,
  { name, bodies, options = {} }: NamedPublish,
): Promise<{ readonly addressed: readonly OutgoingMessage[]; readonly limits: PublishOptions }> {
  const declared = findDeclared(messages, name)
  const { signal, deadline, ...properties } = options
  const { exchange, key = '' } = declared
  const addressed: OutgoingMessage[] = []
  for (const [index, body] of bodies.entries()) {
    const which = bodies.length === 1 ? name : `${name}, ${index + 1} of ${bodies.length},`
    const checked = await checkBody(declared, { which, body, contentType: properties.contentType })
    addressed.push({ ...properties, ...checked, exchange, key, type: name })
  }
  return { addressed, limits: { signal, deadline } }
}

export interface NamedPublish {
  readonly name: string
  readonly bodies: readonly unknown[]
  readonly options?: NamedPublishOptions | undefined
}

function findDeclared(messages: MessageDeclarations, name: string): MessageDeclaration {
  if (Object.hasOwn(messages, name)) return messages[name]!
  const names = Object.keys(messages)
  throw new InvalidArgumentError(
    names.length === 0
      ? `publish() got the name "${name}", but connect() got no messages. Name them in defineTopology({ messages }).`
      : `The topology has no message "${name}"; ${wayOut(name, names)}`,
  )
}

/**
 * The body is checked as consumers will read it, after JSON has made text of dates and left out what it has no form for:
 * what passes here passes there. What is sent is what was checked, and not what the schema made of it.
 */
async function checkBody(
  declared: MessageDeclaration,
  { which, body, contentType }: { which: string; body: unknown; contentType: string | undefined },
): Promise<Pick<OutgoingMessage, 'body' | 'contentType'>> {
  const schema = checkedSchema(declared)
  if (!schema) return { body }
  const [bytes, sentAs] = encodeBody(body)
  const read = sentAs === 'application/json' ? (JSON.parse(bytes.toString('utf8')) as unknown) : body
  const { issues } = await schema['~standard'].validate(read)
  if (!issues) return { body: bytes, contentType: contentType ?? sentAs }
  throw new InvalidArgumentError(
    `The body of ${which} does not fit its schema: ${describeIssues(issues)}. Nothing was sent.`,
  )
}
