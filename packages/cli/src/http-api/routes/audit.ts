import type { AddRoutes } from '../api-context.ts'
import type { AuditSearch } from '../audit/search-log.ts'
import type { AuditQuery } from '../contract/contract.ts'
import { endpoints } from '../contract/endpoints.ts'
import { readPeriod } from '../lists/read-period.ts'
import { payloadRulesFor } from '../show/payload-rules.ts'
import { showAuditRecord } from '../show/show-receipt.ts'

export const addAuditRoutes: AddRoutes = (add, { audit, settings }) => {
  add(endpoints.listAudit, async ({ query, caller, request }) => {
    const { limit, cursor } = query
    const before = cursor === undefined ? undefined : Number.parseInt(cursor, 36)
    const { name: by, wayIn } = caller
    const { records, unreadable, next } = await audit.readPage(
      { limit, before },
      { by, wayIn, from: request.ip },
      searchOf(query),
    )
    const rules = payloadRulesFor(caller, settings)
    const items = records.map((record) => showAuditRecord(record, rules)).toReversed()
    return { items, unreadable, nextCursor: next?.toString(36) ?? null }
  })
}

/** Undefined where all is asked for: a page of that is read from its place at once. */
function searchOf({ by, action, target, from, to }: AuditQuery): AuditSearch | undefined {
  const filter = {
    ...(by !== undefined && { by }),
    ...(action !== undefined && { action }),
    ...(target !== undefined && { target }),
  }
  const isAll = Object.keys(filter).length === 0 && from === undefined && to === undefined
  return isAll ? undefined : { filter, ...readPeriod({ from, to }) }
}
