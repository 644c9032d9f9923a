// Made from requests.ts by `npm run generate`; edit that.
import type { RequestSchema } from './request-schema.ts'
import type {
  BackupRequest,
  CausesRequest,
  DiscardRequest,
  PeekRequest,
  RedriveRequest,
  RestoreRequest,
} from './requests.ts'

/** What a `PeekRequest` may say, as JSON Schema. */
export const peekRequestSchema: RequestSchema<PeekRequest> = {
  title: 'PeekRequest',
  type: 'object',
  description: 'Show messages of a queue and leave them there.',
  properties: {
    queue: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'The queue, by its name on the broker.',
      examples: ['billing.orders.dlq'],
    },
    where: {
      type: 'string',
      minLength: 1,
      maxLength: 2048,
      description:
        'Only messages that match, for example `type:OrderPlaced and (cause:Timeout or died<2h)`. Leave it out for all.',
      examples: ['cause:Timeout and died<2h'],
    },
    acceptDeliveryLimit: {
      type: 'boolean',
      description:
        'Continue even though the queue deletes messages over its delivery limit when a connection breaks.',
      default: false,
      examples: [false],
    },
    hold: {
      anyOf: [
        {
          type: 'integer',
          minimum: 0,
        },
        {
          type: 'string',
          pattern: '^([0-9]+(\\.[0-9]+)?(ms|[dhms]))+$',
        },
      ],
      description:
        'Give messages back after this time and take them again. For a broker with a short `consumer_timeout`.',
      default: '25m',
      examples: ['5m'],
    },
    count: {
      type: 'integer',
      minimum: 1,
      description: 'Show this many messages.',
      default: 20,
      examples: [20],
    },
    bodyBytes: {
      type: 'integer',
      minimum: 0,
      description: 'Show this many bytes of each body.',
      default: 1024,
      examples: [1024],
    },
  },
  required: ['queue'],
  additionalProperties: false,
}

/** What a `CausesRequest` may say, as JSON Schema. */
export const causesRequestSchema: RequestSchema<CausesRequest> = {
  title: 'CausesRequest',
  type: 'object',
  description: 'Show why the messages of a queue died.',
  properties: {
    queue: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'The queue, by its name on the broker.',
      examples: ['billing.orders.dlq'],
    },
    where: {
      type: 'string',
      minLength: 1,
      maxLength: 2048,
      description:
        'Only messages that match, for example `type:OrderPlaced and (cause:Timeout or died<2h)`. Leave it out for all.',
      examples: ['cause:Timeout and died<2h'],
    },
    acceptDeliveryLimit: {
      type: 'boolean',
      description:
        'Continue even though the queue deletes messages over its delivery limit when a connection breaks.',
      default: false,
      examples: [false],
    },
    hold: {
      anyOf: [
        {
          type: 'integer',
          minimum: 0,
        },
        {
          type: 'string',
          pattern: '^([0-9]+(\\.[0-9]+)?(ms|[dhms]))+$',
        },
      ],
      description:
        'Give messages back after this time and take them again. For a broker with a short `consumer_timeout`.',
      default: '25m',
      examples: ['5m'],
    },
    count: {
      type: 'integer',
      minimum: 1,
      description: 'Look at this many messages, from the head of the queue. Leave it out for all.',
      examples: [20],
    },
    groupBy: {
      type: 'string',
      minLength: 1,
      maxLength: 2048,
      description:
        'Split each cause by `type`, `key`, `exchange`, `queue`, `attempts`, `header.NAME` or `body.PATH`; separate several with commas.',
      examples: ['type,body.gateway'],
    },
  },
  required: ['queue'],
  additionalProperties: false,
}

/** What a `RedriveRequest` may say, as JSON Schema. */
export const redriveRequestSchema: RequestSchema<RedriveRequest> = {
  title: 'RedriveRequest',
  type: 'object',
  description: 'Put dead letters back to work.',
  properties: {
    queue: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'The queue, by its name on the broker.',
      examples: ['billing.orders.dlq'],
    },
    where: {
      type: 'string',
      minLength: 1,
      maxLength: 2048,
      description:
        'Only messages that match, for example `type:OrderPlaced and (cause:Timeout or died<2h)`. Leave it out for all.',
      examples: ['cause:Timeout and died<2h'],
    },
    acceptDeliveryLimit: {
      type: 'boolean',
      description:
        'Continue even though the queue deletes messages over its delivery limit when a connection breaks.',
      default: false,
      examples: [false],
    },
    hold: {
      anyOf: [
        {
          type: 'integer',
          minimum: 0,
        },
        {
          type: 'string',
          pattern: '^([0-9]+(\\.[0-9]+)?(ms|[dhms]))+$',
        },
      ],
      description:
        'Give messages back after this time and take them again. For a broker with a short `consumer_timeout`.',
      default: '25m',
      examples: ['5m'],
    },
    keys: {
      type: 'array',
      minItems: 1,
      maxItems: 500,
      items: {
        type: 'string',
        pattern: '^[0-9a-f]{32}$',
      },
      description:
        'Only these messages, by the keys that the HTTP API and the console list them with. With `where`, both must match.',
      examples: [['0cc175b9c0f1b6a831c399e269772661']],
    },
    to: {
      anyOf: [
        {
          type: 'string',
          minLength: 1,
          maxLength: 255,
        },
        {
          type: 'object',
          description: 'A queue by name, even if the name is `origin`, `retry` or `exchange`.',
          properties: {
            queue: {
              type: 'string',
              minLength: 1,
              maxLength: 255,
              description: 'The name of the queue.',
              examples: ['retry'],
            },
          },
          required: ['queue'],
          additionalProperties: false,
        },
      ],
      description:
        'Where messages go: `origin`, the queue each failed in; `retry`, its wait queue; `exchange`, where it was first published; or the name of a queue.',
      default: 'origin',
      examples: ['origin'],
    },
    trustHeaders: {
      type: 'boolean',
      description:
        'Trust headers that say where a message failed, if no queue is known to dead-letter here. Anybody who may publish can write them.',
      default: false,
      examples: [false],
    },
    attempts: {
      type: 'string',
      enum: ['reset', 'continue'],
      description: 'Reset the count of attempts, or continue it.',
      default: 'reset',
      examples: ['reset'],
    },
    limit: {
      type: 'integer',
      minimum: 1,
      description: 'Move at most this many messages.',
      examples: [10],
    },
    ratePerSecond: {
      type: 'integer',
      minimum: 1,
      maximum: 1000000,
      description: 'Move at most this many messages per second.',
      examples: [500],
    },
    canary: {
      type: 'object',
      description:
        'Send a few messages first, wait, and continue with ten times as many each time if none dies again.',
      properties: {
        messages: {
          type: 'integer',
          minimum: 1,
          description: 'Send this many messages first.',
          examples: [10],
        },
        wait: {
          anyOf: [
            {
              type: 'integer',
              minimum: 0,
            },
            {
              type: 'string',
              pattern: '^([0-9]+(\\.[0-9]+)?(ms|[dhms]))+$',
            },
          ],
          description: 'Watch this long for messages that die again.',
          default: '10s',
          examples: ['10m'],
        },
      },
      required: ['messages'],
      additionalProperties: false,
      examples: [
        {
          messages: 10,
          wait: '30s',
        },
      ],
    },
    stopWhenDead: {
      anyOf: [
        {
          type: 'integer',
          minimum: 1,
        },
        {
          type: 'string',
          pattern: '^(100|[1-9][0-9]?|[0-9]{1,2}\\.[0-9]+)%$',
        },
      ],
      description:
        'Stop when this many of the moved messages have died again: a number, or a percentage such as `5%`. With a canary, the default is 1.',
      examples: ['5%'],
    },
    stopWhenTargetAbove: {
      type: 'integer',
      minimum: 1,
      description: 'Stop before a target holds more ready messages than this.',
      examples: [10000],
    },
    edit: {
      type: 'object',
      description:
        'Change the message on its way. Exactly one message must match; a header keeps the original.',
      properties: {
        body: {
          anyOf: [
            {
              type: 'string',
            },
            {
              type: 'object',
              description: 'A body and its encoding.',
              properties: {
                encoding: {
                  type: 'string',
                  enum: ['utf8', 'base64'],
                  description: '`base64` for bytes that are not text.',
                  examples: ['base64'],
                },
                text: {
                  type: 'string',
                  description: 'The body in that encoding.',
                  examples: ['eyJvcmRlciI6NDJ9'],
                },
              },
              required: ['encoding', 'text'],
              additionalProperties: false,
            },
          ],
          description: 'The new body: text, or bytes in base64. Leave it out to keep the old one.',
          examples: ['{"order":42}'],
        },
        headers: {
          type: 'object',
          maxProperties: 100,
          additionalProperties: true,
          description: 'Headers to add or replace; null removes a header.',
          examples: [
            {
              tenant: 'acme',
              stale: null,
            },
          ],
        },
      },
      required: [],
      additionalProperties: false,
      examples: [
        {
          headers: {
            tenant: 'acme',
          },
        },
      ],
    },
    wait: {
      anyOf: [
        {
          type: 'integer',
          minimum: 0,
        },
        {
          type: 'string',
          pattern: '^([0-9]+(\\.[0-9]+)?(ms|[dhms]))+$',
        },
      ],
      description: 'Wait this long for a broker that is away or has an alarm.',
      default: '10m',
      examples: ['10m'],
    },
    window: {
      type: 'object',
      description: 'How much may be in flight at once. After a crash, this many messages may exist twice.',
      properties: {
        messages: {
          type: 'integer',
          minimum: 1,
          maximum: 65535,
          description: 'Messages taken and not yet acknowledged; 1 moves them one by one.',
          default: 1000,
          examples: [100],
        },
        bytes: {
          type: 'integer',
          minimum: 1,
          maximum: 268435456,
          description: 'Bytes published and not yet confirmed.',
          default: 16777216,
          examples: [1048576],
        },
      },
      required: [],
      additionalProperties: false,
      examples: [
        {
          messages: 100,
        },
      ],
    },
    reason: {
      type: 'string',
      minLength: 1,
      maxLength: 1024,
      description: 'Why; written to every message, the receipt and the audit log.',
      examples: ['the gateway is back'],
    },
  },
  required: ['queue'],
  additionalProperties: false,
  examples: [
    {
      queue: 'billing.orders.dlq',
      where: 'cause:Timeout',
      canary: {
        messages: 10,
        wait: '30s',
      },
      reason: 'the gateway is back',
    },
  ],
}

/** What a `BackupRequest` may say, as JSON Schema. */
export const backupRequestSchema: RequestSchema<BackupRequest> = {
  title: 'BackupRequest',
  type: 'object',
  description: 'Write the messages of a queue to a file and leave them in the queue.',
  properties: {
    queue: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'The queue, by its name on the broker.',
      examples: ['billing.orders.dlq'],
    },
    where: {
      type: 'string',
      minLength: 1,
      maxLength: 2048,
      description:
        'Only messages that match, for example `type:OrderPlaced and (cause:Timeout or died<2h)`. Leave it out for all.',
      examples: ['cause:Timeout and died<2h'],
    },
    acceptDeliveryLimit: {
      type: 'boolean',
      description:
        'Continue even though the queue deletes messages over its delivery limit when a connection breaks.',
      default: false,
      examples: [false],
    },
    hold: {
      anyOf: [
        {
          type: 'integer',
          minimum: 0,
        },
        {
          type: 'string',
          pattern: '^([0-9]+(\\.[0-9]+)?(ms|[dhms]))+$',
        },
      ],
      description:
        'Give messages back after this time and take them again. For a broker with a short `consumer_timeout`.',
      default: '25m',
      examples: ['5m'],
    },
  },
  required: ['queue'],
  additionalProperties: false,
}

/** What a `DiscardRequest` may say, as JSON Schema. */
export const discardRequestSchema: RequestSchema<DiscardRequest> = {
  title: 'DiscardRequest',
  type: 'object',
  description: 'Remove messages from a queue, after writing each of them to a backup.',
  properties: {
    queue: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'The queue, by its name on the broker.',
      examples: ['billing.orders.dlq'],
    },
    where: {
      type: 'string',
      minLength: 1,
      maxLength: 2048,
      description:
        'Only messages that match, for example `type:OrderPlaced and (cause:Timeout or died<2h)`. Leave it out for all.',
      examples: ['cause:Timeout and died<2h'],
    },
    acceptDeliveryLimit: {
      type: 'boolean',
      description:
        'Continue even though the queue deletes messages over its delivery limit when a connection breaks.',
      default: false,
      examples: [false],
    },
    hold: {
      anyOf: [
        {
          type: 'integer',
          minimum: 0,
        },
        {
          type: 'string',
          pattern: '^([0-9]+(\\.[0-9]+)?(ms|[dhms]))+$',
        },
      ],
      description:
        'Give messages back after this time and take them again. For a broker with a short `consumer_timeout`.',
      default: '25m',
      examples: ['5m'],
    },
    keys: {
      type: 'array',
      minItems: 1,
      maxItems: 500,
      items: {
        type: 'string',
        pattern: '^[0-9a-f]{32}$',
      },
      description:
        'Only these messages, by the keys that the HTTP API and the console list them with. With `where`, both must match.',
      examples: [['0cc175b9c0f1b6a831c399e269772661']],
    },
    limit: {
      type: 'integer',
      minimum: 1,
      description: 'Remove at most this many messages.',
      examples: [10],
    },
    reason: {
      type: 'string',
      minLength: 1,
      maxLength: 1024,
      description: 'Why; written to the audit log.',
      examples: ['older than the refund window'],
    },
  },
  required: ['queue'],
  additionalProperties: false,
}

/** What a `RestoreRequest` may say, as JSON Schema. */
export const restoreRequestSchema: RequestSchema<RestoreRequest> = {
  title: 'RestoreRequest',
  type: 'object',
  description: 'Put the messages of a backup back into their queue, each once.',
  properties: {
    queue: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'The queue to put them into. Leave it out for the queue that was backed up.',
      examples: ['billing.orders.dlq'],
    },
    acceptDeliveryLimit: {
      type: 'boolean',
      description:
        'Continue even though the queue deletes messages over its delivery limit when a connection breaks.',
      default: false,
      examples: [false],
    },
    reason: {
      type: 'string',
      minLength: 1,
      maxLength: 1024,
      description: 'Why; written to the audit log.',
      examples: ['discarded by mistake'],
    },
  },
  required: [],
  additionalProperties: false,
}
