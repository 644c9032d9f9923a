import type { FieldTable, FieldValue } from '../../../wire/field-value.ts'
import { decodeProperties, type RawProperties } from '../../../wire/properties.ts'
import { decodeHeaders } from '../message/decode-headers.ts'
import { booleanOf, lookUp, textOf } from '../message/terms.ts'
import { stumble } from '../protocol-error.ts'

/** Which messages of a stream a reader asks for. */
export interface StreamFilter {
  readonly values: readonly string[]
  readonly matchesUnfiltered: boolean
}

/** The filter that the arguments of a consumer ask for. What is neither a text nor a list is passed over. */
export function readStreamFilter(args: FieldTable): StreamFilter | undefined {
  const asked = lookUp(args, 'x-stream-filter')
  const matchesUnfiltered = booleanOf(lookUp(args, 'x-stream-match-unfiltered')) ?? false
  if (asked?.type === 'S') return { values: [textOf(asked)!], matchesUnfiltered }
  if (asked?.type !== 'A') return undefined
  // No version is prepared for a list without anything in it.
  if (asked.value.length === 0) throw stumble()
  return { values: asked.value.flatMap((item) => textOf(item) ?? []), matchesUnfiltered }
}

/**
 * RabbitMQ looks at chunks: who publishes one message at a time, and waits for its confirm, has one in each. An empty
 * value is none.
 */
export function passesFilter(
  { values, matchesUnfiltered }: StreamFilter,
  properties: RawProperties,
): boolean {
  const value = filterValueOf(properties)
  return value === '' ? matchesUnfiltered : values.includes(value)
}

/** No version is prepared for a publish whose value is no text. */
export function checkFilterValue(properties: RawProperties): void {
  const value = findFilterValue(properties)
  if (value && value.type !== 'S') throw stumble()
}

function filterValueOf(properties: RawProperties): string {
  const value = findFilterValue(properties)
  return value?.type === 'S' ? (textOf(value) ?? '') : ''
}

function findFilterValue(raw: RawProperties): FieldValue | undefined {
  const { headers } = decodeProperties(raw)
  return headers && lookUp(decodeHeaders(headers), 'x-stream-filter-value')
}
