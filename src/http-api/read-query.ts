import type { Shape } from './shape.ts'

/**
 * A query as its schema has it: all of it comes as text. Only what reads as a whole number becomes one, and nothing else
 * is made to fit: what somebody has misspelt is told to them. Bodies are JSON, which says itself what it holds.
 */
export function readQuery(schema: Shape<unknown>, query: unknown): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, { type?: string }>> }
  return Object.fromEntries(
    Object.entries(query as Record<string, unknown>).map(([name, value]) => {
      const isNumber = Object.hasOwn(properties, name) && properties[name]?.type === 'integer'
      return [name, isNumber && isWholeNumber(value) ? Number(value) : value]
    }),
  )
}

function isWholeNumber(value: unknown): boolean {
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value)
}
