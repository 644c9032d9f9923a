import { ConsumerError, InvalidArgumentError } from '../../errors.ts'
import { refuseChoice } from '../../message/refuse-choice.ts'
import { wayOut } from '../../message/refuse-unknown.ts'
import { checkedSchema } from '../../topology/define-messages.ts'
import type { BodyToHandle, MessageDeclarations } from '../../topology/message-declaration.ts'
import { createNaming } from '../../topology/name-message.ts'
import type { ConsumerOptions } from '../consumer-options.ts'
import type { Handler, HandlerContext } from '../handler.ts'
import { validateBody } from '../middleware/validate-body.ts'
import type { ConsumedMessage } from '../run/consumed-message.ts'

/** A handler for each message, by name. `Names` are those that the topology routes to the queue. */
export type MessageHandlers<Messages extends MessageDeclarations, Names> = [Names] extends [never]
  ? never
  : { readonly [Name in Names & keyof Messages]?: Handler<BodyToHandle<Messages[Name]>> }

/** How a consumer with a handler for each message works. */
export interface NamedConsumerOptions extends Omit<ConsumerOptions, 'schema'> {
  /**
   * What to do with a message that has no handler here. `park` sends it to the dead-letter queue, with that reason; `fail`
   * counts a failed attempt, so the message is tried again, perhaps by a newer release; `ignore` acknowledges it, and it is
   * gone. @default 'park'
   * @example { unknown: 'fail' }
   */
  readonly unknown?: UnknownChoice
}

/** What to do with a message that has no handler. */
export type UnknownChoice = 'park' | 'fail' | 'ignore'

export interface NamedHandling {
  readonly queue: string
  readonly messages: MessageDeclarations
  /** What the queue handles, as the topology says; undefined where it says nothing. */
  readonly handles: readonly string[] | undefined
  readonly unknown: UnknownChoice | undefined
}

/** One handler for a queue, made of one for each message. */
export function handleByName(
  handlers: Readonly<Record<string, Handler | undefined>>,
  { queue, messages, handles, unknown = 'park' }: NamedHandling,
): Handler {
  refuseChoice('unknown of consume()', unknown, ['park', 'fail', 'ignore'])
  const given = Object.entries(handlers).filter(([, handler]) => handler !== undefined)
  const names = given.map(([name]) => name)
  checkNames({ queue, names, messages, handles })
  const checked = new Map(given.map(([name, handler]) => [name, withSchema(name, handler!, messages)]))
  const nameOf = createNaming(messages)
  return (message, context) => {
    const name = nameOf(message)
    const handler = name === undefined ? undefined : checked.get(name)
    if (handler) return handler(message.type === undefined ? named(message, name!) : message, context)
    if (unknown === 'ignore') return undefined
    throw unhandled(message, context, { name, names, isPermanent: unknown === 'park' })
  }
}

function checkNames({
  queue,
  names,
  messages,
  handles,
}: Pick<NamedHandling, 'queue' | 'messages' | 'handles'> & { readonly names: readonly string[] }): void {
  const known = Object.keys(messages)
  const stranger = names.find((name) => !known.includes(name))
  if (stranger !== undefined)
    throw new InvalidArgumentError(
      known.length === 0
        ? 'consume() got handlers by name, but connect() got no messages. Name them in defineTopology({ messages }).'
        : `The topology has no message "${stranger}"; ${wayOut(stranger, known)}`,
    )
  if (names.length === 0) throw new InvalidArgumentError(`consume("${queue}") got no handler.`)
  const missing = handles?.find((name) => !names.includes(name))
  if (missing !== undefined)
    throw new InvalidArgumentError(
      `The queue "${queue}" handles ${missing}, as its topology says, but consume() got no handler for it.`,
    )
  const extra = handles && names.find((name) => !handles.includes(name))
  if (extra !== undefined)
    throw new InvalidArgumentError(
      `consume() got a handler for ${extra}, which the queue "${queue}" does not handle. Add it to its "handles".`,
    )
}

function withSchema(name: string, handler: Handler, messages: MessageDeclarations): Handler {
  const schema = checkedSchema(messages[name]!)
  return schema ? validateBody(schema)(handler) : handler
}

/** The same message with the type by which it was known. */
function named(message: ConsumedMessage, type: string): ConsumedMessage {
  return new Proxy(message, {
    get: (target, name) => (name === 'type' ? type : Reflect.get(target, name, target)),
  })
}

function unhandled(
  { id, type, exchange, routingKey }: ConsumedMessage,
  { queue }: HandlerContext,
  fate: {
    readonly name: string | undefined
    readonly names: readonly string[]
    readonly isPermanent: boolean
  },
): ConsumerError {
  const which = id === undefined ? 'The message' : `The message "${id}"`
  const what =
    (type ?? fate.name) === undefined
      ? `has no type, and no message is published to the exchange "${exchange}" with the key "${routingKey}"`
      : `is of type "${type ?? fate.name}"`
  return new ConsumerError({
    code: 'MESSAGE_UNKNOWN',
    message: `${which} ${what}; the consumer of "${queue}" has handlers for ${fate.names.join(', ')}.`,
    isPermanent: fate.isPermanent,
  })
}
