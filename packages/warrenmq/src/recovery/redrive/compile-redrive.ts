import { InvalidArgumentError } from '../../errors.ts'
import { parseDuration } from '../../message/duration.ts'
import { compileLook, type RequestContext } from '../look/compile-look.ts'
import { editedBody } from '../request/edited-body.ts'
import type { EditRequest, RedriveRequest } from '../request/requests.ts'
import type { DeadLimit } from './canary.ts'
import { type MessageEdit, problemOfEdit } from './message-edit.ts'
import type { Destination } from './plan-redrive.ts'
import type { RedriveOptions } from './redrive-options.ts'

/** What a re-drive needs besides what was asked for. */
export interface RedriveContext
  extends RequestContext,
    Pick<RedriveOptions, 'flows' | 'types' | 'id' | 'follows' | 'signal' | 'onProgress' | 'onWait'> {}

/**
 * The options of a re-drive, from the request. Throws a sentence if no message could be moved that way.
 * @example
 * ```ts
 * const options = compileRedrive({ queue: 'orders.dlq', limit: 10 }, { ...broker, by: 'ann' })
 * ```
 */
export function compileRedrive(request: RedriveRequest, context: RedriveContext): RedriveOptions {
  const { where, keys, to = 'origin', trustHeaders = false, stopWhenDead, canary, edit, wait } = request
  const { select, missingKeys, ...look } = compileLook(request, context)
  return {
    ...context,
    ...look,
    ...((where !== undefined || keys) && { select }),
    ...(keys && { missingKeys }),
    ...pickSaid(request),
    request,
    to: destinationOf(to),
    trustHeaders,
    ...(wait !== undefined && { waitMs: parseDuration(wait) }),
    ...(stopWhenDead !== undefined && { stopWhenDead: deadLimitOf(stopWhenDead) }),
    ...(canary && {
      canary: {
        messages: canary.messages,
        ...(canary.wait !== undefined && { waitMs: parseDuration(canary.wait) }),
      },
    }),
    // An edit is for one message: what is right for one is hardly right for the next.
    ...(edit && { edit: constantly(compileEdit(edit)), limit: 1 }),
  }
}

/** What is the same in both. */
function pickSaid({
  attempts,
  limit,
  ratePerSecond,
  stopWhenTargetAbove,
  window,
  reason,
}: RedriveRequest): Partial<RedriveOptions> {
  return {
    ...(attempts !== undefined && { attempts }),
    ...(limit !== undefined && { limit }),
    ...(ratePerSecond !== undefined && { ratePerSecond }),
    ...(stopWhenTargetAbove !== undefined && { stopWhenTargetAbove }),
    ...(window !== undefined && { window }),
    ...(reason !== undefined && { reason }),
  }
}

export function destinationOf(to: NonNullable<RedriveRequest['to']>): Destination {
  if (typeof to !== 'string') return { kind: 'queue', queue: to.queue }
  return to === 'origin' || to === 'retry' || to === 'exchange' ? { kind: to } : { kind: 'queue', queue: to }
}

function deadLimitOf(limit: number | string): DeadLimit {
  return typeof limit === 'number' ? { messages: limit } : { share: Number.parseFloat(limit) / 100 }
}

/**
 * An edit as bytes and headers. Throws a sentence if no message can be changed that way.
 * @example
 * ```ts
 * const edit = compileEdit({ headers: { tenant: 'acme' } })
 * ```
 */
export function compileEdit({ body, headers }: EditRequest): MessageEdit {
  if (body === undefined && headers === undefined)
    throw new InvalidArgumentError('The edit changes nothing. Give it a body, headers, or both.')
  const problem = problemOfEdit({ ...(headers && { headers }) }) ?? problemOfNumbers(headers)
  if (problem !== undefined) throw new InvalidArgumentError(problem)
  return { ...(body !== undefined && { body: checkedBody(body) }), ...(headers && { headers }) }
}

function checkedBody(body: NonNullable<EditRequest['body']>): Buffer {
  const bytes = editedBody(body)
  // What is no base64 is left out by Buffer without a word.
  if (typeof body !== 'string' && body.encoding === 'base64' && bytes.toString('base64') !== body.text)
    throw new InvalidArgumentError(
      'The body is not valid base64. Encode it with its padding, and without spaces or line breaks.',
    )
  return bytes
}

/** JSON is read as the nearest number that there is, which may be another one. */
function problemOfNumbers(value: unknown, name = ''): string | undefined {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    return `The header "${name}" is ${value}, which JSON cannot hold exactly. Write it as text.`
  if (typeof value !== 'object' || value === null) return undefined
  for (const [each, inner] of Object.entries(value)) {
    const problem = problemOfNumbers(inner, name === '' ? each : `${name}.${each}`)
    if (problem !== undefined) return problem
  }
  return undefined
}

function constantly<Value>(value: Value): () => Value {
  return () => value
}
