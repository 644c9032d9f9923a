import Type from 'typebox'
import {
  type DiscardRequest as DiscardOfQueue,
  discardRequestSchema,
  type EditRequest,
  type RedriveRequest,
  type RequestSchema,
  type RestoreRequest,
  redriveRequestSchema,
  restoreRequestSchema,
} from 'warrenmq/operations'
import type { Shape } from './shape.ts'

/** The queue is in the path. */
export type DiscardRequest = Omit<DiscardOfQueue, 'queue'>
/** The message is in the path, so there is nothing to choose. */
export interface MessageRedriveRequest
  extends EditRequest,
    Pick<RedriveRequest, 'to' | 'attempts' | 'reason'> {}
export type RestoreQuery = Pick<RestoreRequest, 'queue' | 'reason'>

const redriveFields = redriveRequestSchema.properties ?? {}
const editFields = redriveFields.edit?.properties ?? {}
const discardFields = discardRequestSchema.properties ?? {}
const restoreFields = restoreRequestSchema.properties ?? {}

export const redriveRequest: Shape<RedriveRequest> = Type.Unsafe(redriveRequestSchema)

export const discardRequest: Shape<DiscardRequest> = Type.Unsafe(
  objectOf('DiscardRequest', leaveOut(discardFields, 'queue')),
)

export const messageRedriveRequest: Shape<MessageRedriveRequest> = Type.Unsafe(
  objectOf('MessageRedriveRequest', {
    ...editFields,
    to: redriveFields.to!,
    attempts: redriveFields.attempts!,
    reason: redriveFields.reason!,
  }),
)

export const restoreQuery: Shape<RestoreQuery> = Type.Unsafe(
  objectOf('RestoreQuery', { queue: restoreFields.queue!, reason: restoreFields.reason! }),
)

/** As it was asked for, by whichever version: what that one knew and this one does not is refused when it is to be done. */
export const storedRedrive: Shape<RedriveRequest> = Type.Unsafe({
  ...redriveRequestSchema,
  additionalProperties: true,
})

function objectOf(title: string, properties: Readonly<Record<string, RequestSchema>>): RequestSchema {
  return { title, type: 'object', properties, additionalProperties: false }
}

function leaveOut(
  fields: Readonly<Record<string, RequestSchema>>,
  name: string,
): Readonly<Record<string, RequestSchema>> {
  return Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name))
}
