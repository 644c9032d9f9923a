import { type ApiAnswer, badRequest, type Json, type JsonObject, ok } from './api-request.ts'

/** A list, whole or in pages, as the query asks for it. */
export function answerList(unsorted: readonly JsonObject[], query: URLSearchParams): ApiAnswer {
  const items = unsorted.toSorted((a, b) => compareText(a.vhost, b.vhost) || compareText(a.name, b.name))
  if (!query.has('page') && query.get('pagination') !== 'true')
    return ok(items.map((item) => pick(item, query)))
  const page = readNumber(query, 'page', 1)
  const pageSize = readNumber(query, 'page_size', 100)
  if (pageSize > 500) throw badRequest("Invalid page_size parameter. Maximum value is '500'")
  const filtered = items.filter((item) => isNamed(item, query))
  const pageCount = Math.max(1, Math.ceil(filtered.length / pageSize))
  if (page > pageCount) throw badRequest('page out of range')
  const shown = filtered.slice((page - 1) * pageSize, page * pageSize).map((item) => pick(item, query))
  return ok({
    filtered_count: filtered.length,
    item_count: shown.length,
    items: shown,
    page,
    page_count: pageCount,
    page_size: pageSize,
    total_count: items.length,
  })
}

function compareText(a: unknown, b: unknown): number {
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0
}

function readNumber(query: URLSearchParams, name: string, byDefault: number): number {
  const text = query.get(name)
  if (text === null) return byDefault
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw badRequest(`${name} must be a positive integer`)
  return value
}

function isNamed({ name }: JsonObject, query: URLSearchParams): boolean {
  const wanted = query.get('name')
  if (wanted === null || wanted === '') return true
  if (query.get('use_regex') === 'true') return new RegExp(wanted, 'ui').test(String(name))
  return String(name).toLowerCase().includes(wanted.toLowerCase())
}

/** Only the columns that were asked for. */
function pick(item: JsonObject, query: URLSearchParams): JsonObject {
  const columns = query.get('columns')
  if (columns === null) return item
  const picked: Record<string, Json | undefined> = {}
  for (const column of columns.split(',')) picked[column] = item[column]
  return picked
}
