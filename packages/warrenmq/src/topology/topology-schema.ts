import type { Schema } from './check-shape.ts'
import { layoutNames } from './layouts/layout-names.ts'

const text: Schema = { type: 'string' }
const flag: Schema = { type: 'boolean' }
const argumentTable: Schema = { $ref: '#/definitions/arguments' }
const bindings: Schema = { type: 'array', items: { $ref: '#/definitions/binding' } }
const layout: Schema = { $ref: '#/definitions/layout' }

const objectOf = (
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const acceptance = {
  finding: { type: 'string', minLength: 1 },
  reason: { type: 'string', minLength: 1 },
} as const

/**
 * The JSON Schema of a declaration, for editors and for `.json` and `.yaml` files. The validator reads the same
 * value, so the two cannot disagree about the shape.
 */
export const topologySchema: Schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Warren topology',
  ...objectOf(
    {
      $schema: text,
      layout,
      exact: {
        ...flag,
        description: "true gives the arguments of the layout's original design and nothing else",
      },
      exchanges: { type: 'object', additionalProperties: { $ref: '#/definitions/exchange' } },
      queues: { type: 'object', additionalProperties: { $ref: '#/definitions/queue' } },
      policies: { type: 'array', items: { $ref: '#/definitions/policy' } },
      publications: { type: 'array', items: { $ref: '#/definitions/publication' } },
      messages: { type: 'object', additionalProperties: { $ref: '#/definitions/message' } },
      accept: { type: 'array', items: objectOf({ ...acceptance, queue: text }, ['finding', 'reason']) },
      recovery: { type: 'object' },
      server: { type: 'object' },
    },
    ['queues'],
  ),
  definitions: {
    layoutName: { title: 'layout', enum: layoutNames },
    layout: {
      title: 'layout',
      description: `a layout (${layoutNames.join(', ')}) or an object with its name and parameters`,
      anyOf: [
        { type: 'string', title: 'layout', enum: layoutNames },
        objectOf(
          {
            name: { $ref: '#/definitions/layoutName' },
            prefix: { type: 'string', minLength: 1 },
            namespace: { type: 'string', minLength: 1 },
            domains: { type: 'array', items: { type: 'string', minLength: 1 } },
          },
          ['name'],
        ),
      ],
    },
    exchange: objectOf(
      {
        type: {
          type: 'string',
          title: 'exchange type',
          description: 'direct, fanout, topic, headers, or a type of a plugin that starts with x-',
          pattern: '^(direct|fanout|topic|headers|x-.+)$',
          examples: ['direct', 'fanout', 'topic', 'headers'],
        },
        durable: flag,
        autoDelete: flag,
        internal: flag,
        alternateExchange: text,
        bind: bindings,
        arguments: argumentTable,
      },
      ['type'],
    ),
    binding: objectOf({ exchange: text, key: text, arguments: argumentTable }, ['exchange']),
    policy: objectOf(
      {
        name: text,
        pattern: text,
        applyTo: {
          title: 'what a policy applies to',
          enum: ['all', 'queues', 'exchanges', 'quorum_queues', 'classic_queues', 'streams'],
        },
        priority: { type: 'integer' },
        definition: argumentTable,
        operator: flag,
      },
      ['name', 'pattern', 'definition'],
    ),
    publication: objectOf(
      { exchange: text, key: text, headers: argumentTable, expiration: { $ref: '#/definitions/duration' } },
      ['exchange'],
    ),
    message: objectOf(
      { exchange: text, key: text, schema: {}, jsonSchema: { type: 'object' }, description: text },
      ['exchange'],
    ),
    queue: objectOf({
      layout,
      exact: flag,
      bind: bindings,
      handles: { type: 'array', items: text },
      retry: {
        description: 'false or an object',
        anyOf: [{ enum: [false] }, { $ref: '#/definitions/retry' }],
      },
      deadLetter: {
        description: 'false or an object',
        anyOf: [{ enum: [false] }, objectOf({ arguments: argumentTable })],
      },
      role: { title: 'role', enum: ['work', 'wait', 'dead-letter'] },
      type: { title: 'queue type', enum: ['quorum', 'classic', 'stream'] },
      poisonLimit: { type: 'integer', minimum: 1 },
      domain: { type: 'string', minLength: 1 },
      durable: flag,
      autoDelete: flag,
      arguments: argumentTable,
      accept: { type: 'array', items: objectOf(acceptance, ['finding', 'reason']) },
    }),
    retry: objectOf({
      delays: { type: 'array', minItems: 1, items: { $ref: '#/definitions/duration' } },
      maxAttempts: { type: 'integer', minimum: 1 },
      maxRetries: { type: 'integer', minimum: 0 },
      arguments: argumentTable,
    }),
    duration: {
      description: "a duration such as '30s', '5m', '1h30m' or 1500 (milliseconds)",
      anyOf: [
        {
          type: 'string',
          pattern: '^\\s*(?=\\d)([\\d.]+d)?([\\d.]+h)?([\\d.]+m)?([\\d.]+s)?([\\d.]+ms)?\\s*$',
        },
        // RabbitMQ keeps a TTL in 32 bits.
        { type: 'integer', minimum: 1, maximum: 4_294_967_295 },
      ],
    },
    arguments: { type: 'object', additionalProperties: { $ref: '#/definitions/argument' } },
    argument: {
      description: 'text, a number, true, false, a list or an object',
      anyOf: [
        text,
        { type: 'number' },
        flag,
        { type: 'array', items: { $ref: '#/definitions/argument' } },
        { type: 'object', additionalProperties: { $ref: '#/definitions/argument' } },
      ],
    },
  },
}
