import { ApiError, type RedriveRequest } from 'warrenmq/operations'
import type { Caller } from '../auth/caller.ts'

/** Who can name a target may believe headers that name one; and who may lose messages is not for an operator to decide. */
export function refuseDangers(
  { trustHeaders, acceptDeliveryLimit }: Pick<RedriveRequest, 'trustHeaders' | 'acceptDeliveryLimit'>,
  { role }: Caller,
): void {
  const danger = trustHeaders ? 'trustHeaders' : acceptDeliveryLimit ? 'acceptDeliveryLimit' : undefined
  if (danger === undefined || role === 'admin') return
  const message = `Only an admin can set "${danger}". Leave it out.`
  throw new ApiError({ code: 'API_FORBIDDEN', message })
}
