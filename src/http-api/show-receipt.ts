import type { Receipt as WrittenReceipt } from '../recovery/receipt.ts'
import type { AuditRecord, Receipt } from './contract.ts'
import { type PayloadRules, showsAll } from './payload-rules.ts'

/**
 * A receipt as a caller may see it. Its digest is one of ids and bodies: who knows the rest of the only message that
 * moved, or what two receipts have in common, could try bodies until it fits. One that is made with a key would prove
 * nothing to `warren dlq verify`, so it is left out.
 */
export function showReceipt(receipt: WrittenReceipt, rules: PayloadRules): Receipt {
  return showsAll(rules) ? receipt : { ...receipt, digest: null }
}

/** The same for the audit log, which has the digest of each receipt. */
export function showAuditRecord(record: AuditRecord, rules: PayloadRules): AuditRecord {
  return showsAll(rules) ? record : { ...record, receiptDigest: null }
}
