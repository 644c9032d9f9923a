import { textOfUtf8 } from '../../wire/short-text.ts'

/** Deeper than anybody writes in a filter, and far less than a stack holds. */
const maxDepth = 64

/**
 * What a filter compares: the value as text, a table or a list as JSON. Bytes are text if they are UTF-8, because .NET
 * clients send text that way, else base64. Undefined if there is no value, or one that is nested too deep.
 */
export function comparableText(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (Buffer.isBuffer(value)) return textOfUtf8(value, 0, value.length) ?? value.toString('base64')
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' && value !== null ? nestedText(value, 1) : String(value)
}

/** The value as a number, exact beyond 2^53 too; undefined if it is not a number. */
export function comparableNumber(value: unknown): number | bigint | undefined {
  if (typeof value === 'number') return Number.isNaN(value) ? undefined : value
  if (typeof value === 'bigint') return value
  if (Buffer.isBuffer(value)) return numberOf(comparableText(value) ?? '')
  return typeof value === 'string' ? numberOf(value) : undefined
}

function numberOf(text: string): number | bigint | undefined {
  if (text.trim() === '') return undefined
  const number = Number(text)
  if (Number.isNaN(number)) return undefined
  return Number.isSafeInteger(number) || !/^[+-]?\d{1,40}$/.test(text)
    ? number
    : BigInt(text.replace('+', ''))
}

function nestedText(value: object, depth: number): string | undefined {
  if (depth > maxDepth) return undefined
  const parts: string[] = []
  for (const [name, inner] of Object.entries(value)) {
    const text = innerText(inner, depth)
    if (text === undefined) return undefined
    parts.push(Array.isArray(value) ? text : `${JSON.stringify(name)}:${text}`)
  }
  return Array.isArray(value) ? `[${parts.join(',')}]` : `{${parts.join(',')}}`
}

function innerText(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string' || Buffer.isBuffer(value) || value instanceof Date)
    return JSON.stringify(comparableText(value))
  return typeof value === 'object' && value !== null ? nestedText(value, depth + 1) : String(value)
}
