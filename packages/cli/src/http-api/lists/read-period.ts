import { ApiError } from 'warrenmq/operations'
import type { ListQuery } from '../contract/contract.ts'

/** From a moment on, and up to another one, which does not belong to it any more. */
export interface Period {
  readonly fromMs: number
  readonly toMs: number
}

/** Their form is checked by the schema; here that there is such a day, and that it is not over before it begins. */
export function readPeriod({
  from,
  to,
}: {
  readonly from: ListQuery['from'] | undefined
  readonly to: ListQuery['to'] | undefined
}): Period {
  const fromMs = from === undefined ? Number.NEGATIVE_INFINITY : readTime('from', from)
  const toMs = to === undefined ? Number.POSITIVE_INFINITY : readTime('to', to)
  if (fromMs < toMs) return { fromMs, toMs }
  throw invalid(`query.from must be before query.to, and ${from} is not before ${to}.`)
}

/** What has no time that can be read is in no period but in that of all times. */
export function isWithin(at: string, { fromMs, toMs }: Period): boolean {
  if (fromMs === Number.NEGATIVE_INFINITY && toMs === Number.POSITIVE_INFINITY) return true
  const atMs = Date.parse(at)
  return atMs >= fromMs && atMs < toMs
}

function readTime(name: 'from' | 'to', text: string): number {
  const day = text.slice(0, 10)
  const dayMs = Date.parse(day)
  // A 30th of February is read as a day of March.
  const isDay = !Number.isNaN(dayMs) && new Date(dayMs).toISOString().startsWith(day)
  const ms = Date.parse(text)
  if (isDay && !Number.isNaN(ms)) return ms
  throw invalid(
    `query.${name} must be a date such as 2030-01-31, or a time with its zone such as 2030-01-31T18:00:00Z, and ${text} is neither.`,
  )
}

function invalid(message: string): ApiError {
  return new ApiError({ code: 'API_REQUEST_INVALID', message })
}
