import type { TopologyMistake } from '../errors.ts'
import { isStandardSchema } from '../message/standard-schema.ts'
import { didYouMean } from '../message/suggest-name.ts'
import { type Path, renderPath } from './check-shape.ts'
import type { QueueDeclaration, TopologyDeclaration } from './declaration.ts'
import type { MessageDeclarations } from './message-declaration.ts'

/** What is wrong with messages that have the right shape. */
export function checkMessages(messages: MessageDeclarations): readonly TopologyMistake[] {
  return Object.entries(messages).flatMap(([name, { schema, jsonSchema }]) => {
    const at = (...path: Path) => renderPath(['messages', name, ...path])
    const isName = name !== '' && Buffer.byteLength(name) <= longestTypeBytes
    return [
      ...(isName ? [] : [{ path: at(), problem: 'the name of a message has 1 to 255 bytes' }]),
      ...(schema === undefined || isStandardSchema(schema)
        ? []
        : [{ path: at('schema'), problem: noSchema }]),
      ...(jsonSchema === undefined || typeof jsonSchema === 'object'
        ? []
        : [{ path: at('jsonSchema'), problem: 'must be a JSON Schema, as an object' }]),
    ]
  })
}

/** AMQP writes the length of the property `type` into one byte. */
const longestTypeBytes = 255

const noSchema =
  'must be a Standard Schema, as zod, valibot and arktype make them; a JSON Schema belongs under "jsonSchema"'

/** Names that a queue handles and no message has. */
export function checkHandles({ queues, messages = {} }: TopologyDeclaration): readonly TopologyMistake[] {
  const names = Object.keys(messages)
  return Object.entries<QueueDeclaration>(queues).flatMap(([queue, { handles = [] }]) =>
    handles.flatMap((name, index) => {
      if (names.includes(name)) return []
      const hint = didYouMean(name, names) || '; add it under "messages"'
      return [
        {
          path: renderPath(['queues', queue, 'handles', index]),
          problem: `message "${name}" is not declared${hint}`,
        },
      ]
    }),
  )
}
