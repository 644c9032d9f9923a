import { ManagementError } from '../../errors.ts'

/** A JSON object of which nothing is known yet. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** Erlang cannot tell an empty object from an empty list, so `[]` and absence both read as no fields. */
export function asRecord(value: unknown): JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {}
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function asRecords(value: unknown): readonly JsonRecord[] {
  return asList(value).map(asRecord)
}

/** Undefined for what is absent: the API leaves fields out for seconds after a boot, and missing is not zero. */
export function numberField(record: JsonRecord, name: string): number | undefined {
  const value = record[name]
  return typeof value === 'number' ? value : undefined
}

export function flagField(record: JsonRecord, name: string): boolean | undefined {
  const value = record[name]
  return typeof value === 'boolean' ? value : undefined
}

/** Text that is there and not empty. */
export function textField(record: JsonRecord, name: string): string | undefined {
  const value = record[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function textsField(record: JsonRecord, name: string): readonly string[] | undefined {
  const value = record[name]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined
}

/** A field without which the answer makes no sense. */
export function requiredText(record: JsonRecord, name: string): string {
  const value = record[name]
  if (typeof value === 'string') return value
  throw new ManagementError({
    code: 'MANAGEMENT_UNEXPECTED_ANSWER',
    message: `The management API answered with an entry that has no "${name}". Check that RabbitMQ listens there.`,
  })
}
