import type { Receipt as WrittenReceipt } from 'warrenmq'
import type { ListedAuditRecord, Receipt } from '../contract/contract.ts'
import { asksForPayload } from '../guards/refuse-hidden-fields.ts'
import { type PayloadRules, showsAll } from './payload-rules.ts'

/**
 * A receipt as a caller may see it. Its digest is one of ids and bodies: who knows the rest of the only message that
 * moved, or what two receipts have in common, could try bodies until it fits. One that is made with a key would prove
 * nothing to `warren dlq verify`, so it is left out.
 */
export function showReceipt(receipt: WrittenReceipt, rules: PayloadRules): Receipt {
  const shown = { ...receipt, refusals: receipt.refusals.map(hideInside) }
  if (showsAll(rules)) return shown
  const { where, request } = receipt
  if (where === undefined || !asksForPayload(where)) return { ...shown, digest: null }
  // A filter over bodies tells what stands in them.
  const hidden = { where: '***' }
  return { ...shown, ...hidden, digest: null, ...(request && { request: { ...request, ...hidden } }) }
}

/** The same for the audit log, which has the digest of each receipt. */
export function showAuditRecord(record: ListedAuditRecord, rules: PayloadRules): ListedAuditRecord {
  return showsAll(rules) ? record : { ...record, receiptDigest: null }
}

/**
 * Refusals are told in the words of RabbitMQ and of our clients, which name the account and the hosts of the server.
 * Found by their form: a task may be of another server, whose account nobody knows here.
 */
const insides: readonly (readonly [RegExp, string])[] = [
  [/ for user '.*?'(?=[\s.:,;)]|$)/g, ''],
  [/\b(authenticated user was) '.*?'(?=[\s.:,;)]|$)/g, '$1 another'],
  [/\b(the user) ".*?"(?=[\s.:,;)]|$)/gi, '$1 of the server'],
  [/\b(the login of) ".*?"(?=[\s.:,;)]|$)/gi, '$1 the server'],
  [/ (?:at|to) (?:\[[\w:.%]+\]|[\w.-]+):\d+\b/gi, ''],
]

function hideInside(refusal: string): string {
  return insides.reduce((text, [inside, instead]) => text.replace(inside, instead), refusal)
}
