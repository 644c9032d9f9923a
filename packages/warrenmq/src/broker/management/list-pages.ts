import { ManagementError } from '../../errors.ts'
import type { ApiRequest, CallApi } from './call-api.ts'
import { asRecord, asRecords, type JsonRecord, numberField } from './json-record.ts'

const largestPage = 500
const passes = 3

/**
 * Reads a list page by page, pages in parallel as far as the client's bound allows. A thing that is deleted
 * meanwhile moves the rest to earlier pages, and one of them would be missed; so a pass whose pages do not
 * add up is repeated, and in the end the list is read in one piece.
 */
export async function listPages(
  callApi: CallApi,
  request: ApiRequest,
  pageSize: number = largestPage,
): Promise<readonly JsonRecord[]> {
  for (let pass = 0; pass < passes; pass++) {
    const items = await readPass(callApi, request, pageSize)
    if (items) return items
  }
  return asRecords((await callApi(request)).json)
}

interface Page {
  readonly items: readonly JsonRecord[]
  readonly pageCount: number
  readonly totalCount: number
}

async function readPass(
  callApi: CallApi,
  request: ApiRequest,
  pageSize: number,
): Promise<readonly JsonRecord[] | undefined> {
  const pageOf = (page: number) => requestPage(callApi, request, { page, pageSize })
  const first = await pageOf(1)
  if (first === undefined) return []
  const others = Array.from({ length: Math.max(0, first.pageCount - 1) }, (_, index) => pageOf(index + 2))
  return joinPages([first, ...(await Promise.all(others))])
}

async function requestPage(
  callApi: CallApi,
  request: ApiRequest,
  { page, pageSize }: { page: number; pageSize: number },
): Promise<Page | undefined> {
  const query = { ...request.query, page, page_size: pageSize, pagination: true }
  try {
    return readPage((await callApi({ ...request, query })).json)
  } catch (error) {
    if (isBehindTheLast(error)) return undefined
    throw error
  }
}

/** Some lists cannot be had in pages; they come whole. */
function readPage(json: unknown): Page {
  if (Array.isArray(json)) return { items: asRecords(json), pageCount: 1, totalCount: json.length }
  const answer = asRecord(json)
  return {
    items: asRecords(answer.items),
    pageCount: numberField(answer, 'page_count') ?? 1,
    totalCount: numberField(answer, 'filtered_count') ?? 0,
  }
}

/** All items, or undefined where the list changed between two pages. */
function joinPages(pages: readonly (Page | undefined)[]): readonly JsonRecord[] | undefined {
  const items = new Map<string, JsonRecord>()
  for (const page of pages) {
    for (const item of page?.items ?? []) items.set(JSON.stringify([item.vhost, item.name]), item)
  }
  const isSteady = pages.every((page) => page?.totalCount === items.size)
  return isSteady ? [...items.values()] : undefined
}

function isBehindTheLast(error: unknown): boolean {
  return (
    error instanceof ManagementError &&
    error.status === 400 &&
    /page_?out_?of_?range|out of range/i.test(error.message)
  )
}
