/**
 * JSON has neither bigint nor bytes: the one becomes text, the other base64. NaN and the infinities become text, too.
 * @example
 * ```ts
 * const json = JSON.stringify(toJson(value))
 * ```
 */
export function toJson(value: unknown): unknown {
  if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)))
    return String(value)
  if (Buffer.isBuffer(value)) return value.toString('base64')
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(toJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toJson(each)]))
}
