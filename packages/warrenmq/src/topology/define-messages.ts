import { TopologyError } from '../errors.ts'
import type { StandardSchema } from '../message/standard-schema.ts'
import { checkMessages } from './check-messages.ts'
import { checkShape } from './check-shape.ts'
import type { MessageDeclaration, MessageDeclarations, OnlySettings } from './message-declaration.ts'
import { topologySchema } from './topology-schema.ts'

/**
 * Checks messages and gives them back, with all that TypeScript needs to know of them. Name them in `defineTopology`.
 * Throws a TopologyError that lists all mistakes.
 * @example
 * ```ts
 * const messages = defineMessages({
 *   OrderPlaced: { exchange: 'orders.events', key: 'order.placed', schema },
 *   OrderCancelled: { exchange: 'orders.events', key: 'order.cancelled', schema: unchecked<{ id: number }>() },
 * })
 * ```
 */
export function defineMessages<const Messages extends MessageDeclarations>(
  messages: Messages & OnlySettings<Messages>,
): Messages {
  const shapeMistakes = checkShape({ queues: {}, messages }, topologySchema)
  const mistakes = shapeMistakes.length > 0 ? shapeMistakes : checkMessages(messages)
  if (mistakes.length > 0) throw new TopologyError(mistakes)
  return messages
}

/**
 * A schema for bodies whose type only TypeScript knows: nothing is checked when the program runs.
 * @example
 * ```ts
 * defineMessages({ OrderPlaced: { exchange: '', key: 'orders', schema: unchecked<{ id: number }>() } })
 * ```
 */
export function unchecked<Body>(): StandardSchema<Body, Body> {
  return anyBody as StandardSchema<Body, Body>
}

const anyBody: StandardSchema = {
  '~standard': { version: 1, vendor: 'warren', validate: (value) => ({ value }) },
}

/** The schema by which bodies are checked; undefined where there is nothing to check. */
export function checkedSchema({ schema }: MessageDeclaration): StandardSchema | undefined {
  return schema === anyBody ? undefined : schema
}
