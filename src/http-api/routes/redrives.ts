import { randomUUID } from 'node:crypto'
import { ApiError } from '../../errors.ts'
import { messageFilter } from '../../recovery/filter-message.ts'
import { parseFilter } from '../../recovery/parse-filter.ts'
import type { Destination } from '../../recovery/plan-redrive.ts'
import { previewRedrive } from '../../recovery/preview-redrive.ts'
import type { RedriveOptions } from '../../recovery/redrive.ts'
import type { AddRoutes, ApiContext, Call } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { mayReadQueue } from '../auth/decide-access.ts'
import type { RedriveRequest } from '../contract.ts'
import { endpoints } from '../endpoints.ts'
import { refuseHiddenFields } from '../refuse-hidden-fields.ts'
import { startTask } from '../tasks/start-task.ts'

export const addRedriveRoutes: AddRoutes = (add, context) => {
  const { tasks, turns } = context

  add(endpoints.planRedrive, async ({ body, caller }) => {
    tasks.refuseIfBusy(body.queue)
    const options = redriveOptions(context, body, caller)
    const plan = await turns.look(body.queue, () => previewRedrive(options))
    const targets = plan.targets.map((each) => ({ ...each, secondFailure: each.secondFailure ?? null }))
    return { ...plan, targets }
  })

  add(endpoints.startRedrive, async (call: Call<undefined, undefined, RedriveRequest>) => {
    const options = redriveOptions(context, call.body, call.caller)
    const task = await startTask(context, call, { ...options, id: randomUUID() })
    call.reply.header('location', `/api/v1/tasks/${task.id}`)
    return task
  })
}

function redriveOptions(context: ApiContext, asked: RedriveRequest, caller: Caller): RedriveOptions {
  const { line } = context
  const { queue, to = 'origin', attempts, where, limit, ratePerSecond, reason } = asked
  const filter = where === undefined ? undefined : parseFilter(where)
  if (filter) refuseHiddenFields(filter, { caller, settings: context.settings })
  return {
    ...{ consuming: line.consuming, publishing: line.publishing, management: line.management },
    ...{ queue, by: caller.name, to: destinationOf(to, caller), flows: line.topology?.flows ?? [] },
    ...(attempts !== undefined && { attempts }),
    ...(filter && { select: messageFilter(filter, Date.now()) }),
    ...(limit !== undefined && { limit }),
    ...(ratePerSecond !== undefined && { ratePerSecond }),
    ...(reason !== undefined && { reason }),
  }
}

/** Messages are published with the server's account, so whoever names a queue must be one to whom it is open. */
function destinationOf(to: string, caller: Caller): Destination {
  if (to === 'origin' || to === 'retry' || to === 'exchange') return { kind: to }
  if (caller.role === 'admin' && mayReadQueue(caller, to)) return { kind: 'queue', queue: to }
  throw new ApiError({
    code: 'API_FORBIDDEN',
    message: `To send dead letters to "${to}" takes an admin who may read it in RabbitMQ. Leave "to" out to send each back to where it failed.`,
  })
}
