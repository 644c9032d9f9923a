/**
 * The wait that a `Retry-After` header asks for, in milliseconds: a number of seconds or an HTTP date.
 * @example
 * ```ts
 * const waitMs = parseRetryAfter('120', Date.now()) // 120000
 * ```
 */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  // Date.parse takes much that is no HTTP date, such as '-5'; those begin with a day's name.
  const dateMs = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs)
}
