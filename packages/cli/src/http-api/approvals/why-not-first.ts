import { ApiError } from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import { permissionsOf } from '../auth/decide-role.ts'
import type { Standing } from '../auth/watch-accounts.ts'
import type { Approval } from '../contract/contract.ts'
import { permissionFor } from './approval-rule.ts'
import { maySee } from './visible-approvals.ts'

type Sources = Pick<ApiContext, 'accounts' | 'approvals'>

/** What is granted is done in the name of who asked, so they must still be somebody who may. */
export async function whyNotFirst(
  { accounts, approvals }: Sources,
  { id, by, asks }: Approval,
): Promise<ApiError | undefined> {
  if (!accounts || approvals.askerOf(id).isWatched !== true) return undefined
  if (mayDo(await accounts.standingNow(by), asks)) return undefined
  const message = `${by} requested this, and their account is gone or may no longer do it. Refuse it, and request it yourself if it is still needed.`
  return new ApiError({ code: 'API_FORBIDDEN', message })
}

function mayDo(standing: Standing | undefined, asks: Approval['asks']): boolean {
  if (!standing || !permissionsOf(standing.role).includes(permissionFor[asks.action])) return false
  return maySee(standing, asks)
}
