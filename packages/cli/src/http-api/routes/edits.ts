import { randomUUID } from 'node:crypto'
import {
  ApiError,
  type IncomingMessage,
  joinBody,
  type MessageEdit,
  problemOfEdit,
} from 'warrenmq/operations'
import type { AddRoutes, ApiContext } from '../api-context.ts'
import { needsApproval } from '../approvals/decide-approval.ts'
import type { Caller } from '../auth/caller.ts'
import { permissionsOfCaller } from '../auth/decide-role.ts'
import type { EditRequest } from '../contract/contract.ts'
import { endpoints } from '../contract/endpoints.ts'
import { findMessage } from '../dlqs/look-at-dlq.ts'
import { redriveOptions } from '../redrives/redrive-options.ts'
import { keyOf } from '../show/describe-message.ts'
import { maskBody } from '../show/mask-body.ts'
import { startTask } from '../tasks/start-task.ts'

/** One message put back, changed on its way. */
export const addEditRoutes: AddRoutes = (add, context) => {
  add(endpoints.editMessage, async (call) => {
    const { params, caller, body, reply } = call
    const { queue, key } = params
    const { to, attempts, reason } = body
    refuseEdit(context, caller, body)
    const options = redriveOptions(
      context,
      {
        queue,
        ...(to !== undefined && { to }),
        ...(attempts !== undefined && { attempts }),
        ...(reason !== undefined && { reason }),
      },
      caller,
    )
    const { isMasked, content } = await findMessage(context, { queue, key, caller, reply }, (message) => ({
      ...{ isMasked: hasMasked(context, message), content: keyOf(message) },
    }))
    if (body.body && isMasked) throw forbidden('The body holds what nobody is shown, so it cannot be edited.')
    const task = await startTask(context, call, {
      ...{ ...options, id: randomUUID(), limit: 1, asked: { kind: 'edit', key: content } },
      select: (message) => keyOf(message) === content,
      edit: () => editOf(body),
    })
    call.reply.header('location', `/api/v1/tasks/${task.id}`)
    return task
  })
}

function hasMasked({ settings }: ApiContext, { body }: IncomingMessage): boolean {
  return maskBody(joinBody(body), settings.maskedPaths).kind !== 'as-it-is'
}

function refuseEdit({ settings }: ApiContext, caller: Caller, { body, headers = {} }: EditRequest): void {
  if (body && !permissionsOfCaller(caller, settings).includes('payload:read'))
    throw forbidden('Payloads are hidden from you, so you cannot write another one.')
  if (needsApproval(settings.approval, 1)) {
    const message = 'Here every re-drive needs a second person, and an edited message cannot wait for one.'
    throw new ApiError({ code: 'API_APPROVAL_NEEDED', message })
  }
  if (body?.encoding === 'base64' && Buffer.from(body.text, 'base64').toString('base64') !== body.text) {
    const message = 'body.body.text is no base64, with its padding and nothing between. Check it.'
    throw new ApiError({ code: 'API_REQUEST_INVALID', message })
  }
  const problem = problemOfEdit({ headers })
  if (problem !== undefined) throw new ApiError({ code: 'API_REQUEST_INVALID', message: problem })
}

function editOf({ body, headers }: EditRequest): MessageEdit {
  return {
    ...(body && { body: Buffer.from(body.text, body.encoding) }),
    ...(headers && { headers }),
  }
}

function forbidden(message: string): ApiError {
  return new ApiError({ code: 'API_FORBIDDEN', message })
}
