import type { AddRoutes } from '../api-context.ts'
import { endpoints } from '../endpoints.ts'

export const addAuditRoutes: AddRoutes = (add, { audit }) => {
  add(endpoints.listAudit, async ({ query: { limit, cursor }, caller: { name: by, wayIn }, request }) => {
    const before = cursor === undefined ? undefined : Number.parseInt(cursor, 36)
    const { records, unreadable, next } = await audit.readPage(
      { limit, before },
      { by, wayIn, from: request.ip },
    )
    return { items: records.toReversed(), unreadable, nextCursor: next?.toString(36) ?? null }
  })
}
