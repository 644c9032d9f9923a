// The JSON Schema of the config's `recovery` section, for editors. The section itself is checked when it is read.
const text = { type: 'string' }
const duration = { $ref: '#/definitions/duration' }
const closed = { type: 'object', additionalProperties: false }

export const recoverySchema = {
  ...closed,
  properties: {
    queues: { type: 'array', minItems: 1, items: text },
    exchange: text,
    types: {
      type: 'object',
      additionalProperties: {
        anyOf: [text, { ...closed, properties: { exchange: text, key: text }, required: ['key'] }],
      },
    },
    typeHeader: text,
    prefetch: { type: 'integer', minimum: 1, maximum: 65_535 },
    messageTimeout: duration,
    timeouts: {
      ...closed,
      properties: { total: duration, idle: duration, empty: duration, stall: duration },
    },
  },
  required: ['queues', 'types'],
}
