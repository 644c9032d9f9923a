import type { RedrivePreview } from 'warrenmq'
import { ApiError, previewRedrive, type RedriveOptions } from 'warrenmq/operations'
import type { ApiContext, Call } from '../api-context.ts'
import type { StartRequest } from '../contract/contract.ts'
import { lookInTurn } from '../dlqs/look-at-dlq.ts'
import { describePlanChange } from './describe-plan-change.ts'
import { redriveOptions } from './redrive-options.ts'

type PlanCall = Pick<Call<unknown, unknown, unknown>, 'caller' | 'reply'>

/** Plans a re-drive with one look, and remembers the plan. */
export async function planOf(
  context: ApiContext,
  { caller, reply }: PlanCall,
  options: RedriveOptions,
): Promise<RedrivePreview> {
  const plan = await lookInTurn(context, { queue: options.queue, caller, reply }, (limits) =>
    previewRedrive({ ...options, ...limits }),
  )
  context.plans.note(plan)
  return plan
}

/**
 * The request with no more messages than the plan that was read has. Throws where that is not the plan any more, and says
 * what has changed, and where it has none: no limit says "none", and one that comes in before the start would move.
 */
export async function holdToPlan(
  context: ApiContext,
  call: PlanCall,
  { planDigest, ...request }: StartRequest,
): Promise<Omit<StartRequest, 'planDigest'>> {
  if (planDigest === undefined) return request
  const now = await planOf(context, call, redriveOptions(context, request, call.caller))
  if (now.digest !== planDigest) throw changed(context.plans.find(planDigest), now)
  if (now.moving === 0) throw empty(request.queue)
  // Whatever comes into the queue from now on is in no plan.
  return { ...request, limit: now.moving }
}

function empty(queue: string): ApiError {
  const message = `The plan that you read would move no message of "${queue}", so nothing was started. Read the plan again to see what has come in since.`
  return new ApiError({ code: 'API_NOTHING_TO_MOVE', message })
}

function changed(read: RedrivePreview | undefined, now: RedrivePreview): ApiError {
  const changes = read ? describePlanChange(read, now) : []
  const known = changes.length > 0 ? changes : [`Now ${now.moving} messages would move.`]
  const message = `The plan has changed since you read it. ${known.join(' ')} Read the plan again, and start that one.`
  return new ApiError({ code: 'API_PLAN_CHANGED', message })
}
