import { RecoveryError } from '../../errors.ts'
import { didYouMean } from '../../message/suggest-name.ts'
import type { FilterField } from './filter.ts'
import { findField } from './parse-filter.ts'

/** A field that messages of one cause are told apart by. */
export interface GroupField {
  /** As it was said. */
  readonly name: string
  /** What is read of each message. */
  readonly field: FilterField
}

const plainFields = ['type', 'key', 'exchange', 'queue', 'attempts']
const mostFields = 5

/**
 * Reads what `--group-by` and `groupBy` take: `key`, or several with commas between, such as `type,body.gateway`.
 * @example
 * ```ts
 * const groupBy = parseGroupBy('type,body.gateway')
 * ```
 */
export function parseGroupBy(source: string): readonly GroupField[] {
  const names = source.split(',').map((name) => name.trim())
  if (names.length > mostFields)
    throw mistake(`${names.length} fields are too many; group by ${mostFields} at most.`)
  return names.map(readField)
}

function readField(name: string): GroupField {
  const field = findField(name)
  const isGroup =
    field && (field.kind === 'header' || field.kind === 'body' || plainFields.includes(field.kind))
  if (isGroup) return { name, field }
  throw mistake(
    `Messages cannot be grouped by "${name}". Group by ${plainFields.join(', ')}, header.NAME or body.PATH${didYouMean(name, plainFields)}`,
  )
}

function mistake(message: string): RecoveryError {
  return new RecoveryError({ code: 'FILTER_INVALID', message })
}
