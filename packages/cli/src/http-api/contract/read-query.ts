import type { TSchema } from 'typebox'

/**
 * A query as its schema has it: all of it comes as text. Only what reads as a whole number becomes one, `true` and `false`
 * become what they say, where several are possible commas part them, and nothing else is made to fit: what somebody has
 * misspelt is told to them. What is not said is as usual. Bodies are JSON, which says itself what it holds.
 */
export function readQuery(schema: TSchema, query: unknown): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, Field>> }
  const said = Object.entries(query as Record<string, unknown>).map(([name, value]) => {
    const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined
    return [name, readValue(type, value)] as const
  })
  const usual = Object.entries(properties).filter(([, field]) => field.default !== undefined)
  return Object.fromEntries([...usual.map(([name, field]) => [name, field.default] as const), ...said])
}

interface Field {
  readonly type?: string
  readonly default?: unknown
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
