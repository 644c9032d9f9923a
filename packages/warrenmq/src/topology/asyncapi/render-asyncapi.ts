import type { CompiledTopology } from '../compiled-topology.ts'
import type { MessageDeclaration } from '../message-declaration.ts'
import { DocumentIds } from './document-ids.ts'
import { listOperations, type Operation } from './list-operations.ts'
import { placeSchema } from './place-schema.ts'
import { type Payload, readPayload } from './read-payload.ts'
import { bindingVersion, type ChannelContent, renderChannel } from './render-channel.ts'
import { renderOperation } from './render-operation.ts'

/** A document of AsyncAPI 3. */
export interface AsyncApiDocument {
  /** The version of AsyncAPI. */
  readonly asyncapi: string
  /** Title and version of what is described. */
  readonly info: AsyncApiInfo
  /** The content type of messages that name none. */
  readonly defaultContentType: string
  /** Keys of exchanges, and queues: where messages are sent and received. */
  readonly channels: AsyncApiMembers
  /** What is sent and what is received there. */
  readonly operations: AsyncApiMembers
  /** Messages and the schemas of their bodies, which the rest refers to. */
  readonly components: { readonly messages: AsyncApiMembers; readonly schemas: AsyncApiMembers }
}

/** What a document says of itself. */
export interface AsyncApiInfo {
  /** What the described application is called. */
  readonly title: string
  /** The version of the description, not of AsyncAPI. */
  readonly version: string
}

/** Messages, channels or schemas by their names. */
export type AsyncApiMembers = Readonly<Record<string, object>>

/** A document, and what it could not express. */
export interface AsyncApi {
  /** The document, as JSON can hold it. */
  readonly document: AsyncApiDocument
  /** Messages with a schema that could not be written as JSON Schema, and why. */
  readonly indescribable: readonly { readonly message: string; readonly problem: string }[]
}

/**
 * The messages of a topology: where they are sent and received, and their bodies as JSON Schema. Wait queues and
 * dead-letter queues are left out: who publishes or consumes has nothing to do with them.
 * @example
 * ```ts
 * const { document } = renderAsyncApi(compiled, { info: { title: 'Orders', version: '1.0.0' }, vhost: '/' })
 * ```
 */
export function renderAsyncApi(
  topology: CompiledTopology,
  { info, vhost }: { readonly info: AsyncApiInfo; readonly vhost: string },
): AsyncApi {
  const messages = Object.entries(topology.declaration.messages ?? {}).map(readMessage)
  const operations = listOperations(topology)
  const ids = new DocumentIds()
  const document = {
    asyncapi: '3.0.0',
    info,
    defaultContentType: 'application/json',
    channels: membersOf(listChannels(operations, ids), (content) => [
      ids.channel(content.channel),
      renderChannel(content, { topology, vhost, ids }),
    ]),
    operations: membersOf(operations, (operation) => [
      ids.operation(operation),
      renderOperation(operation, ids),
    ]),
    components: {
      messages: membersOf(messages, (message) => [ids.message(message.name), renderMessage(message, ids)]),
      schemas: membersOf(messages.filter(isDescribed), ({ name, payload: { schema } }) => [
        ids.message(name),
        placeSchema(schema, ids.schemaPlace(name)),
      ]),
    },
  }
  return {
    document: withoutUndefined(document),
    indescribable: messages.flatMap(({ name, payload }) =>
      payload.kind === 'indescribable' ? [{ message: name, problem: payload.problem }] : [],
    ),
  }
}

interface ReadMessage {
  readonly name: string
  readonly declared: MessageDeclaration
  readonly payload: Payload
}

function readMessage([name, declared]: readonly [string, MessageDeclaration]): ReadMessage {
  return { name, declared, payload: readPayload(declared) }
}

function isDescribed(
  message: ReadMessage,
): message is ReadMessage & { readonly payload: Extract<Payload, { kind: 'described' }> } {
  return message.payload.kind === 'described'
}

function renderMessage(message: ReadMessage, ids: DocumentIds): object {
  const { name, declared } = message
  return {
    name,
    summary: declared.description,
    payload: isDescribed(message) ? { $ref: ids.schemaPlace(name) } : undefined,
    bindings: { amqp: { messageType: name, bindingVersion } },
  }
}

/** Several messages may be sent to one address, and a queue may be sent to by its name. */
function listChannels(operations: readonly Operation[], ids: DocumentIds): readonly ChannelContent[] {
  const contents = new Map<string, ChannelContent>()
  for (const { channel, messages } of operations) {
    const known = contents.get(ids.channel(channel))?.messages ?? []
    contents.set(ids.channel(channel), { channel, messages: [...new Set([...known, ...messages])] })
  }
  return [...contents.values()]
}

function membersOf<Item>(
  items: readonly Item[],
  render: (item: Item) => readonly [string, object],
): AsyncApiMembers {
  return Object.fromEntries(items.map(render))
}

/** As JSON has it: what is undefined is not there. */
function withoutUndefined<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value
}
