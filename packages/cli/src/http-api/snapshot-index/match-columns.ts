import { type Filter, type FilterSubject, matchesFilter } from 'warrenmq/operations'
import type { CodedColumn } from './coded-column.ts'
import type { SnapshotColumns } from './snapshot-columns.ts'

type Comparison = Extract<Filter, { kind: 'compare' }>

/** 1 for each message that a filter selects, as far as the columns tell. */
export interface ColumnMatch {
  readonly marks: Uint8Array
  /** False: the filter asks for bodies, plain words or headers that are not counted, and those that are marked have yet to be read. */
  readonly isExact: boolean
}

/**
 * Asks a filter of all messages at once, without their file. `died<2h` counts back from `asOfMs`. What only the file
 * tells is taken for true, so that whatever is not marked need not be read.
 */
export function matchColumns(filter: Filter, columns: SnapshotColumns, asOfMs: number): ColumnMatch {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const parts = filter.parts.map((part) => matchColumns(part, columns, asOfMs))
      const isExact = parts.every((part) => part.isExact)
      return { marks: parts.map(({ marks }) => marks).reduce(filter.kind === 'and' ? both : either), isExact }
    }
    case 'not': {
      const { marks, isExact } = matchColumns(filter.part, columns, asOfMs)
      return isExact ? { marks: invert(marks), isExact } : unknown(columns)
    }
    case 'text':
      return unknown(columns)
    case 'compare':
      return matchField(filter, columns, asOfMs)
  }
}

function unknown({ length }: SnapshotColumns): ColumnMatch {
  return { marks: new Uint8Array(length).fill(1), isExact: false }
}

/** How many are marked. */
export function countMarks(marks: Uint8Array): number {
  let count = 0
  for (let at = 0; at < marks.length; at += 1) count += marks[at]!
  return count
}

function invert(marks: Uint8Array): Uint8Array {
  for (let at = 0; at < marks.length; at += 1) marks[at]! ^= 1
  return marks
}

function both(left: Uint8Array, right: Uint8Array): Uint8Array {
  for (let at = 0; at < left.length; at += 1) left[at]! &= right[at]!
  return left
}

function either(left: Uint8Array, right: Uint8Array): Uint8Array {
  for (let at = 0; at < left.length; at += 1) left[at]! |= right[at]!
  return left
}

/** Each condition is asked of each value once, by the very function that asks it of messages. */
function matchField(filter: Comparison, columns: SnapshotColumns, asOfMs: number): ColumnMatch {
  const isTrueOf = (fields: Partial<FilterSubject>): boolean =>
    matchesFilter(filter, { ...nothing, ...fields })
  const exactly = (marks: Uint8Array): ColumnMatch => ({ marks, isExact: true })
  switch (filter.field.kind) {
    case 'type':
      return exactly(markCodes(columns.types, (types) => isTrueOf({ types })))
    case 'cause':
      return exactly(markCodes(columns.causes, (cause) => isTrueOf({ cause })))
    case 'queue':
      return exactly(markCodes(columns.queues, (queue) => isTrueOf({ queue })))
    case 'exchange':
      return exactly(markCodes(columns.exchanges, (exchange) => isTrueOf({ exchange })))
    case 'key':
      return exactly(markCodes(columns.routingKeys, (key) => isTrueOf({ key })))
    case 'attempts':
      return exactly(markNumbers(columns.attempts, (attempts) => isTrueOf({ attempts })))
    case 'died':
      return exactly(markTimes(filter, columns.diedMs, (diedMs) => asOfMs - diedMs))
    case 'diedAt':
      return exactly(markTimes(filter, columns.diedMs, (diedMs) => diedMs))
    case 'id':
      return exactly(markIds(filter, columns, isTrueOf))
    case 'header': {
      const column = columns.headers.of(filter.field.name)
      return column
        ? exactly(markCodes(column, (value) => isTrueOf({ header: () => value })))
        : unknown(columns)
    }
    case 'body':
      return unknown(columns)
  }
}

const nothing: FilterSubject = {
  id: undefined,
  types: [],
  queue: undefined,
  exchange: '',
  key: '',
  cause: { id: '', label: '' },
  ageMs: undefined,
  diedAtMs: undefined,
  attempts: undefined,
  header: () => undefined,
  json: undefined,
  text: '',
}

function markCodes<Value>(
  { codes, values }: CodedColumn<Value>,
  isTrueOf: (value: Value) => boolean,
): Uint8Array {
  const wanted = Uint8Array.from(values, (value) => Number(isTrueOf(value)))
  const marks = new Uint8Array(codes.length)
  for (let at = 0; at < codes.length; at += 1) marks[at] = wanted[codes[at]!]!
  return marks
}

const mostTabled = 1_024

/** Attempts are small whole numbers as a rule, and a table is looked up faster than a map. */
function markNumbers(numbers: Float64Array, isTrueOf: (value: number | undefined) => boolean): Uint8Array {
  const small = Uint8Array.from({ length: mostTabled }, (_, value) => Number(isTrueOf(value)))
  const unknown = Number(isTrueOf(undefined))
  const marks = new Uint8Array(numbers.length)
  for (let at = 0; at < numbers.length; at += 1) {
    const value = numbers[at]!
    marks[at] = small[value] ?? (Number.isNaN(value) ? unknown : Number(isTrueOf(value)))
  }
  return marks
}

/** No comparison is true of NaN. A time is a number of milliseconds, and `=` is refused where the filter is read. */
function markTimes(
  { operator, number }: Comparison,
  diedMs: Float64Array,
  timeOf: (diedMs: number) => number,
): Uint8Array {
  const limit = Number(number)
  const isLess = operator.startsWith('<')
  const isOrEqual = operator.endsWith('=')
  const marks = new Uint8Array(diedMs.length)
  for (let at = 0; at < diedMs.length; at += 1) {
    const time = timeOf(diedMs[at]!)
    const isBeyond = isLess ? time < limit : time > limit
    marks[at] = isBeyond || (isOrEqual && time === limit) ? 1 : 0
  }
  return marks
}

function markIds(
  { operator, value }: Comparison,
  { ids, length }: SnapshotColumns,
  isTrueOf: (fields: Partial<FilterSubject>) => boolean,
): Uint8Array {
  const isPlain = !value.includes('*')
  if (isPlain && operator === '=') return ids.markEqual(value)
  if (isPlain && operator === '!=') return invert(ids.markEqual(value))
  return Uint8Array.from({ length }, (_, at) => Number(isTrueOf({ id: ids.at(at) })))
}
