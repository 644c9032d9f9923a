import Type from 'typebox'
import {
  type DiscardRequest as DiscardOfQueue,
  discardRequestSchema,
  type EditRequest,
  type NotedRequest,
  type RedriveRequest,
  type RequestSchema,
  redriveRequestSchema,
} from 'warrenmq/operations'
import { reason, snapshotIdPattern } from './lists.ts'
import { closed, flag, integer, list, named, object, type SchemaValue, text } from './schema.ts'

/** The bodies of requests that change something. */

const redriveSchema = sayDefaults(redriveRequestSchema)
const redriveFields = redriveSchema.properties ?? {}

/** What a plan is asked by besides the re-drive itself. */
export interface PlanRequest extends RedriveRequest {
  readonly snapshot?: string
}
export const planRequest = Type.Unsafe<PlanRequest>({
  ...redriveSchema,
  title: 'PlanRequest',
  description: 'The re-drive to plan, and where its messages were chosen.',
  properties: {
    ...redriveFields,
    snapshot: text(
      'The id of the snapshot in which the messages were chosen. The plan then says how many of them are gone.',
      'warren-1.5f0c9a5e.3c7b4a539b4e0a4f',
      { pattern: snapshotIdPattern },
    ),
  },
})

/** A re-drive, and the plan that whoever starts it has read. */
export interface StartRequest extends RedriveRequest {
  readonly planDigest?: string
}
export const startRequest = Type.Unsafe<StartRequest>({
  ...redriveSchema,
  properties: {
    ...redriveFields,
    planDigest: text(
      'The digest of the plan that you read. If the plan has changed since, nothing is started: 409 API_PLAN_CHANGED says what changed. If it moves nothing: 409 API_NOTHING_TO_MOVE. No more messages are moved than the plan has.',
      '0'.repeat(64),
      { pattern: '^[0-9a-f]{64}$' },
    ),
  },
})

/** As it was asked for, by whichever version: what that one knew and this one does not is refused when it is to be done. */
export const storedRedrive = Type.Unsafe<RedriveRequest>({
  ...redriveRequestSchema,
  additionalProperties: true,
})

/** The message is in the path, so there is nothing to choose. */
export interface MessageRedriveRequest
  extends EditRequest,
    Pick<RedriveRequest, 'to' | 'attempts' | 'reason'> {}
export const messageRedriveRequest = Type.Unsafe<MessageRedriveRequest>({
  title: 'MessageRedriveRequest',
  description: 'What to change in a message before it goes back. Whatever you leave out stays as it is.',
  type: 'object',
  properties: {
    ...redriveFields.edit?.properties,
    to: redriveFields.to,
    attempts: redriveFields.attempts,
    reason: redriveFields.reason,
  },
  ...closed,
})

/** The queue is in the path. */
export type DiscardRequest = Omit<DiscardOfQueue, 'queue'>
export const discardRequest = Type.Unsafe<DiscardRequest>({
  title: 'DiscardRequest',
  description: 'Which dead letters to remove.',
  type: 'object',
  properties: withoutQueue(sayDefaults(discardRequestSchema).properties),
  ...closed,
})

/** What a receipt says was asked for. */
export const notedRequest = Type.Unsafe<NotedRequest>({
  title: 'NotedRequest',
  description: 'The request: only the options that were given.',
  type: 'object',
  properties: {
    ...redriveFields,
    edit: object('What was changed in the message.', {
      bodySha256: Type.Optional(text('The SHA-256 of the new body, in hexadecimal digits.', '0'.repeat(64))),
      headers: Type.Optional(
        list(text('The name of a header.', 'tenant'), 'The headers that were set or removed.'),
      ),
    }),
  },
  required: ['queue'],
})

/**
 * Says defaults in words: generated clients take a field with a default for one that is always there, and a request has
 * only what was said.
 */
function sayDefaults({ default: preset, description, properties, ...schema }: RequestSchema): RequestSchema {
  const said = preset === undefined ? description : `${description} Default: ${String(preset)}.`
  return {
    ...schema,
    ...(said !== undefined && { description: said }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, sayDefaults(field)]),
      ),
    }),
  }
}

function withoutQueue({
  queue: _,
  ...fields
}: RequestSchema['properties'] = {}): RequestSchema['properties'] {
  return fields
}

export const adminRedriveRequest = named(
  'AdminRedriveRequest',
  'How many messages to put back.',
  { limit: Type.Optional(integer('The most messages.', 10, { minimum: 1, maximum: 10_000 })) },
  closed,
)

export const applyRequest = named(
  'ApplyRequest',
  'Which plan to carry out.',
  {
    plan: text('The digest of the plan that was read: 64 hexadecimal digits.', '0'.repeat(64), {
      pattern: '^[0-9a-f]{64}$',
    }),
    allowDisruptive: Type.Optional(flag('Remove bindings, too.', false)),
    reason: Type.Optional(reason),
  },
  closed,
)
export type ApplyRequest = SchemaValue<typeof applyRequest>
