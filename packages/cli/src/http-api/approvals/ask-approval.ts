import { ApiError } from 'warrenmq/operations'
import type { ApiContext } from '../api-context.ts'
import { type AuditedCall, writeAudit } from '../audit/write-audit.ts'
import type { Caller } from '../auth/caller.ts'
import type { Approval, ApprovalAsks } from '../contract/contract.ts'
import { refuseWithoutClient } from '../guards/refuse-without-broker.ts'
import type { NewApproval } from './approvals.ts'

/** Asks for a second person; in the audit log before anybody can answer. */
export async function askApproval(
  context: Pick<ApiContext, 'audit' | 'approvals' | 'accounts'>,
  call: AuditedCall,
  asked: Omit<NewApproval, 'by' | 'asker'>,
): Promise<Approval> {
  const { caller, request } = call
  if (!isPerson(caller)) throw noPerson()
  const isWatched = await isAccountWatched(context, caller)
  refuseWithoutClient(call.reply)
  const { asks, messages, reason } = asked
  const result = messages === null ? asks.action : `${asks.action} of up to ${messages} messages`
  const entry = { action: 'approval.ask', target: targetOf(asks), reason: reason ?? null, result }
  await writeAudit(context, call, entry)
  const asker = { wayIn: caller.wayIn, from: request.ip, ...(isWatched && { isWatched }) }
  return context.approvals.ask({ ...asked, by: caller.name, asker })
}

/** Whether RabbitMQ can be asked later what has become of who asks now. One of LDAP or of a provider it does not know. */
async function isAccountWatched(
  { accounts }: Pick<ApiContext, 'accounts'>,
  { name, wayIn }: Pick<Caller, 'name' | 'wayIn'>,
): Promise<boolean> {
  return wayIn === 'broker-account' && ((await accounts?.canSee(name)) ?? false)
}

/** A token may be in anybody's hands, and where nobody is asked all are the same. */
export function isPerson({ wayIn }: Pick<Caller, 'wayIn'>): boolean {
  return wayIn === 'broker-account' || wayIn === 'oidc'
}

/** Whoever holds the token could grant it with an account of their own, and would be the first and the second. */
function noPerson(): ApiError {
  const message =
    'This many messages need two people, and an API token is not a person. Use an account or an OIDC token, or ask for fewer messages.'
  return new ApiError({ code: 'API_APPROVAL_NEEDED', message })
}

/** What an approval is about, as the audit log names it. */
export function targetOf(asks: ApprovalAsks): string {
  switch (asks.action) {
    case 'redrive':
      return asks.request.queue
    case 'discard':
      return asks.queue
    case 'apply':
      return 'topology'
  }
}
