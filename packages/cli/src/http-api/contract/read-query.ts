import type { Shape } from './shape.ts'

/**
 * A query as its schema has it: all of it comes as text. Only what reads as a whole number becomes one, `true` and `false`
 * become what they say, where several are possible commas part them, and nothing else is made to fit: what somebody has
 * misspelt is told to them. Bodies are JSON, which says itself what it holds.
 */
export function readQuery(schema: Shape<unknown>, query: unknown): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, { type?: string }>> }
  return Object.fromEntries(
    Object.entries(query as Record<string, unknown>).map(([name, value]) => {
      const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined
      return [name, readValue(type, value)]
    }),
  )
}

function readValue(type: string | undefined, value: unknown): unknown {
  if (type === 'array') return splitList(value)
  if (type === 'integer' && isWholeNumber(value)) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

/** Said once with commas, or several times. */
function splitList(value: unknown): unknown {
  return [value].flat().flatMap((each) => (typeof each === 'string' ? each.split(',') : [each]))
}

function isWholeNumber(value: unknown): boolean {
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value)
}
