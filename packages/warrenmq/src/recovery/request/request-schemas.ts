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
        'Only messages that match, such as `type:OrderPlaced and (cause:Timeout or died<2h)`. Leave it out for all.',
      examples: ['cause:Timeout and died<2h'],
    },
    acceptDeliveryLimit: {
      type: 'boolean',
      description:
        'Go on although the queue deletes messages that are over its delivery limit when a connection breaks.',
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
        'Give messages back after this long and take them again. For a broker with a short `consumer_timeout`.',
      default: '25m',
      examples: ['5m'],
    },
    count: {
      type: 'integer',
      minimum: 1,
      description: 'Show this many.',
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

export const causesRequestSchema: RequestSchema<CausesRequest> = {
  title: 'CausesRequest',
  type: 'object',
  description: 'Say why the messages of a queue are dead.',
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
        'Only messages that match, such as `type:OrderPlaced and (cause:Timeout or died<2h)`. Leave it out for all.',
      examples: ['cause:Timeout and died<2h'],
    },
    acceptDeliveryLimit: {
      type: 'boolean',
      description:
        'Go on although the queue deletes messages that are over its delivery limit when a connection breaks.',
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
        'Give messages back after this long and take them again. For a broker with a short `consumer_timeout`.',
      default: '25m',
      examples: ['5m'],
    },
    count: {
      type: 'integer',
      minimum: 1,
      description: 'Look at this many from the head of the queue. Leave it out for all.',
      examples: [20],
    },
    groupBy: {
      type: 'string',
      minLength: 1,
      maxLength: 2048,
      description:
        'Split each cause by `type`, `key`, `exchange`, `queue`, `attempts`, `header.NAME` or `body.PATH`; several with commas between them.',
      examples: ['type,body.gateway'],
    },
  },
  required: ['queue'],
  additionalProperties: false,
}

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
        'Only messages that match, such as `type:OrderPlaced and (cause:Timeout or died<2h)`. Leave it out for all.',
      examples: ['cause:Timeout and died<2h'],
    },
    acceptDeliveryLimit: {
      type: 'boolean',
      description:
        'Go on although the queue deletes messages that are over its delivery limit when a connection breaks.',
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
        'Give messages back after this long and take them again. For a broker with a short `consumer_timeout`.',
      default: '25m',
      examples: ['5m'],
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
          description: 'A queue by its name, also where that is `origin`, `retry` or `exchange`.',
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
        'Where they go: `origin`, the queue each failed in; `retry`, its wait queue; `exchange`, where it was first published; or the name of a queue.',
      default: 'origin',
      examples: ['origin'],
    },
    trustHeaders: {
      type: 'boolean',
      description:
        'Believe headers that say where a message failed, where no queue is known to dead-letter here. Anybody who may publish can write them.',
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
      description: 'Move at most this many.',
      examples: [10],
    },
    ratePerSecond: {
      type: 'integer',
      minimum: 1,
      maximum: 1000000,
      description: 'Move at most this many per second.',
      examples: [500],
    },
    canary: {
      type: 'object',
      description:
        'Send a few first, wait, and go on with ten times as many each time if none comes back dead.',
      properties: {
        messages: {
          type: 'integer',
          minimum: 1,
          description: 'Send this many first.',
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
        'Stop when this many of the moved messages are dead again: a number, or a share such as `5%`. With a canary, 1 unless said otherwise.',
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
      description: 'Change the message on its way. Exactly one may match; what it was is kept in a header.',
      properties: {
        body: {
          anyOf: [
            {
              type: 'string',
            },
            {
              type: 'object',
              description: 'A body and how it is written here.',
              properties: {
                encoding: {
                  type: 'string',
                  enum: ['utf8', 'base64'],
                  description: '`base64` for bytes that are no text.',
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
          description: 'Headers to add or replace; null takes one off.',
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
      description: 'How much may be under way at once. So many messages may be there twice after a crash.',
      properties: {
        messages: {
          type: 'integer',
          minimum: 1,
          maximum: 65535,
          description: 'Messages taken and not acknowledged; 1 is one by one.',
          default: 1000,
          examples: [100],
        },
        bytes: {
          type: 'integer',
          minimum: 1,
          maximum: 268435456,
          description: 'Bytes published and not confirmed.',
          default: 16777216,
          examples: [1048576],
        },
      },
      required: [],
      additionalProperties: false,
    },
    reason: {
      type: 'string',
      minLength: 1,
      maxLength: 1024,
      description: 'Why; written into every message, the receipt and the audit log.',
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
        'Only messages that match, such as `type:OrderPlaced and (cause:Timeout or died<2h)`. Leave it out for all.',
      examples: ['cause:Timeout and died<2h'],
    },
    acceptDeliveryLimit: {
      type: 'boolean',
      description:
        'Go on although the queue deletes messages that are over its delivery limit when a connection breaks.',
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
        'Give messages back after this long and take them again. For a broker with a short `consumer_timeout`.',
      default: '25m',
      examples: ['5m'],
    },
  },
  required: ['queue'],
  additionalProperties: false,
}

export const discardRequestSchema: RequestSchema<DiscardRequest> = {
  title: 'DiscardRequest',
  type: 'object',
  description: 'Remove messages from a queue, each of them into a backup.',
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
        'Only messages that match, such as `type:OrderPlaced and (cause:Timeout or died<2h)`. Leave it out for all.',
      examples: ['cause:Timeout and died<2h'],
    },
    acceptDeliveryLimit: {
      type: 'boolean',
      description:
        'Go on although the queue deletes messages that are over its delivery limit when a connection breaks.',
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
        'Give messages back after this long and take them again. For a broker with a short `consumer_timeout`.',
      default: '25m',
      examples: ['5m'],
    },
    limit: {
      type: 'integer',
      minimum: 1,
      description: 'Remove at most this many.',
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

export const restoreRequestSchema: RequestSchema<RestoreRequest> = {
  title: 'RestoreRequest',
  type: 'object',
  description: 'Put the messages of a backup into their queue, each once.',
  properties: {
    queue: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'The queue to put them into. Leave it out for the one that the backup was made of.',
      examples: ['billing.orders.dlq'],
    },
    acceptDeliveryLimit: {
      type: 'boolean',
      description:
        'Go on although the queue deletes messages that are over its delivery limit when a connection breaks.',
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
