import type { AddRoutes } from '../api-context.ts'
import { endpoints } from '../endpoints.ts'
import { payloadRulesFor } from '../payload-rules.ts'
import { showAuditRecord } from '../show-receipt.ts'

export const addAuditRoutes: AddRoutes = (add, { audit, settings }) => {
  add(endpoints.listAudit, async ({ query: { limit, cursor }, caller, request }) => {
    const before = cursor === undefined ? undefined : Number.parseInt(cursor, 36)
    const { name: by, wayIn } = caller
    const { records, unreadable, next } = await audit.readPage(
      { limit, before },
      { by, wayIn, from: request.ip },
    )
    const rules = payloadRulesFor(caller, settings)
    const items = records.map((record) => showAuditRecord(record, rules)).toReversed()
    return { items, unreadable, nextCursor: next?.toString(36) ?? null }
  })
}
