import type { AddRoutes } from '../api-context.ts'
import { endpoints } from '../endpoints.ts'

export const addAuditRoutes: AddRoutes = (add, { audit }) => {
  add(endpoints.listAudit, async ({ query: { limit }, caller: { name: by, wayIn }, request }) => ({
    items: await audit.read(limit, { by, wayIn, from: request.ip }),
  }))
}
