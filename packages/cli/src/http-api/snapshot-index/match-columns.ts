import { type Filter, type FilterSubject, matchesFilter } from 'warrenmq/operations'
import type { CodedColumn } from './coded-column.ts'
import { both, createMarks, either, invert } from './marks.ts'
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
  return { marks: createMarks(length).fill(1), isExact: false }
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
      return exactly(markCodes(columns.attempts, (attempts) => isTrueOf({ attempts })))
    case 'died':
      return exactly(markTimes(flip(filter.operator), columns.diedMs, asOfMs - Number(filter.number)))
    case 'diedAt':
      return exactly(markTimes(filter.operator, columns.diedMs, Number(filter.number)))
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
  const marks = createMarks(codes.length)
  // Most of what people write down beside a narrow condition is true of all, or of none.
  if (!wanted.includes(0)) return marks.fill(1)
  if (!wanted.includes(1)) return marks
  for (let at = 0; at < codes.length; at += 1) marks[at] = wanted[codes[at]!]!
  return marks
}

/** Who died less than two hours ago died after the moment that was two hours ago. */
function flip(operator: Comparison['operator']): string {
  return operator.startsWith('<') ? operator.replace('<', '>') : operator.replace('>', '<')
}

/** No comparison is true of NaN. A time is a number of milliseconds, and `=` is refused where the filter is read. */
function markTimes(operator: string, diedMs: Float64Array, limit: number): Uint8Array {
  const marks = createMarks(diedMs.length)
  const { length } = diedMs
  switch (operator) {
    case '<':
      for (let at = 0; at < length; at += 1) marks[at] = diedMs[at]! < limit ? 1 : 0
      return marks
    case '<=':
      for (let at = 0; at < length; at += 1) marks[at] = diedMs[at]! <= limit ? 1 : 0
      return marks
    case '>':
      for (let at = 0; at < length; at += 1) marks[at] = diedMs[at]! > limit ? 1 : 0
      return marks
    default:
      for (let at = 0; at < length; at += 1) marks[at] = diedMs[at]! >= limit ? 1 : 0
      return marks
  }
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
