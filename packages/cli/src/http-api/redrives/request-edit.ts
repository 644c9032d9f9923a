import { randomUUID } from 'node:crypto'
import {
  ApiError,
  compileEdit,
  type IncomingMessage,
  joinBody,
  messageKey,
  type RedriveOptions,
  type RedriveRequest,
  seenInPart,
} from 'warrenmq/operations'
import type { ApiContext, Call } from '../api-context.ts'
import { needsApproval } from '../approvals/approval-rule.ts'
import type { Caller } from '../auth/caller.ts'
import { permissionsOfCaller } from '../auth/decide-role.ts'
import type { Task } from '../contract/contract.ts'
import { findMessage, lookAtDlq, workOnSome } from '../dlqs/look-at-dlq.ts'
import { maskBody } from '../show/mask-body.ts'
import { startTask } from '../tasks/start-task.ts'
import { redriveOptions } from './redrive-options.ts'

type EditCall = Pick<Call<unknown, unknown, unknown>, 'caller' | 'request' | 'reply'>

/** The message that is meant: what it is known by here, and whether a part of it is shown to nobody. */
interface MeantMessage {
  readonly content: string
  readonly isMasked: boolean
}

/** Puts back the message with a key, changed if an edit is asked for. */
export async function redriveMessage(
  context: ApiContext,
  call: EditCall,
  { key, request }: { readonly key: string; readonly request: RedriveRequest },
): Promise<Task> {
  const options = editOptions(context, call.caller, request)
  const place = { queue: request.queue, key, caller: call.caller, reply: call.reply }
  const meant = await findMessage(context, place, (message) => describe(context, message))
  return startEdit(context, call, { request, options, meant })
}

/** Changes the only message that a filter matches. */
export async function requestEdit(
  context: ApiContext,
  call: EditCall,
  request: RedriveRequest,
): Promise<Task> {
  const options = editOptions(context, call.caller, request)
  const meant = await findOnly(context, call, options)
  return startEdit(context, call, { request, options, meant })
}

function editOptions(context: ApiContext, caller: Caller, request: RedriveRequest): RedriveOptions {
  refuseEdit(context, caller, request)
  return redriveOptions(context, request, caller)
}

function startEdit(
  context: ApiContext,
  call: EditCall,
  work: {
    readonly request: RedriveRequest
    readonly options: RedriveOptions
    readonly meant: MeantMessage
  },
): Promise<Task> {
  const { request, options, meant } = work
  const { content, isMasked } = meant
  if (request.edit?.body !== undefined && isMasked)
    throw forbidden('The body contains hidden parts, so it cannot be edited.')
  return startTask(context, call, {
    ...options,
    id: randomUUID(),
    limit: 1,
    asked: { kind: 'edit', key: content },
    select: (message) => messageKey(message) === content,
  })
}

async function findOnly(
  context: ApiContext,
  { caller, reply }: EditCall,
  { queue, select = () => true }: RedriveOptions,
): Promise<MeantMessage> {
  let matching = 0
  let meant: MeantMessage | undefined
  const onMessage = (message: IncomingMessage): void => {
    if (!select(message)) return
    matching += 1
    meant ??= describe(context, message)
  }
  const { isWhole } = await lookAtDlq(context, { queue, caller, reply, onMessage })
  if (matching > 1) {
    const message = `${isWhole ? '' : 'At least '}${matching} messages match "where", but an edit is for one message. Name it, for example id:42.`
    throw new ApiError({ code: 'API_REQUEST_INVALID', message })
  }
  if (!isWhole)
    throw seenInPart({ queue, unknown: 'it is not known whether others match', wayOut: workOnSome })
  if (meant) return meant
  throw new ApiError({ code: 'API_NOT_FOUND', message: `No message of "${queue}" matches "where".` })
}

function describe({ settings }: ApiContext, message: IncomingMessage): MeantMessage {
  const isMasked = maskBody(joinBody(message.body), settings.maskedPaths).kind !== 'as-it-is'
  return { content: messageKey(message), isMasked }
}

/** Throws where the caller may not edit, or where no message can be changed so. */
export function refuseEdit({ settings }: ApiContext, caller: Caller, { edit }: RedriveRequest): void {
  if (edit?.body !== undefined && !permissionsOfCaller(caller, settings).includes('payload:read'))
    throw forbidden('Payloads are hidden from you, so you cannot write a new one.')
  if (needsApproval(settings.approval, 1)) {
    const message = 'Every re-drive here needs a second person, and an edited message cannot wait for one.'
    throw new ApiError({ code: 'API_APPROVAL_NEEDED', message })
  }
  if (edit) checkEdit(edit)
}

function checkEdit(edit: NonNullable<RedriveRequest['edit']>): void {
  try {
    compileEdit(edit)
  } catch (cause) {
    throw new ApiError({ code: 'API_REQUEST_INVALID', message: (cause as Error).message }, { cause })
  }
}

function forbidden(message: string): ApiError {
  return new ApiError({ code: 'API_FORBIDDEN', message })
}
