import { decodeShownFieldValue } from '../wire/decode-table.ts'
import type { FieldValue } from '../wire/field-value.ts'
import { encodeName, endOfValue, findValue } from '../wire/name-matcher.ts'

/** The headers of a message as they stand on the wire; undefined if it has none. */
export type EncodedHeaders = Buffer | undefined

export function headerValue(headers: EncodedHeaders, name: string): FieldValue | undefined {
  if (headers === undefined) return undefined
  const at = findValue(headers, encodeName(name))
  return at < 0 ? undefined : decodeShownFieldValue(headers.subarray(at, endOfValue(headers, at)))
}

/**
 * A header as text; undefined if it is not text.
 * @example
 * ```ts
 * const tenant = headerText(headers, 'tenant')
 * ```
 */
export function headerText(headers: EncodedHeaders, name: string): string | undefined {
  return textOf(headerValue(headers, name))
}

/**
 * A header as a whole number; undefined if it is not one.
 * @example
 * ```ts
 * const retries = headerInteger(headers, 'x-retry-count') ?? 0
 * ```
 */
export function headerInteger(headers: EncodedHeaders, name: string): number | undefined {
  return integerOf(headerValue(headers, name))
}

/** Text as a person would read it: .NET clients send text as bytes, so bytes are taken for UTF-8. */
export function textOf(value: FieldValue | undefined): string | undefined {
  if (value?.type !== 'S' && value?.type !== 'x') return undefined
  return typeof value.value === 'string' ? value.value : value.value.toString('utf8')
}

/**
 * A whole number from zero up, of whatever type a client chose for it: integers, doubles and decimal text.
 * Beyond 2^53 it is cut to the largest number that is exact; anything else is undefined.
 */
export function integerOf(value: FieldValue | undefined): number | undefined {
  switch (value?.type) {
    case 'b':
    case 'B':
    case 's':
    case 'u':
    case 'I':
    case 'i':
    case 'f':
    case 'd':
      return wholeNumber(value.value)
    case 'l':
      return wholeNumber(Number(value.value))
    case 'S':
    case 'x':
      return wholeNumber(numberFromText(textOf(value) ?? ''))
    default:
      return undefined
  }
}

function numberFromText(text: string): number {
  return /^\d{1,20}$/.test(text) ? Number(text) : Number.NaN
}

function wholeNumber(value: number): number | undefined {
  return value >= 0 && Number.isInteger(value) ? Math.min(value, Number.MAX_SAFE_INTEGER) : undefined
}
