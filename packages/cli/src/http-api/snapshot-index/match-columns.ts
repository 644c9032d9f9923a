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

/** What there is to do in steps, between which others can have their turn. */
export type InSteps<Result> = Generator<undefined, Result, undefined>

/**
 * Asks a filter of all messages at once, without their file, in steps of a moment: one of 2,000 letters can have hundreds
 * of conditions on millions of ids. `died<2h` counts back from `asOfMs`. What only the file tells is taken for true, so
 * that whatever is not marked need not be read.
 */
export function matchColumns(filter: Filter, columns: SnapshotColumns, asOfMs: number): InSteps<ColumnMatch> {
  return matchRows(filter, { columns, asOfMs, length: columns.length })
}

interface Rows {
  readonly columns: SnapshotColumns
  readonly asOfMs: number
  /** Of a snapshot that is being made, more may come between two steps. */
  readonly length: number
}

function* matchRows(filter: Filter, rows: Rows): InSteps<ColumnMatch> {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return yield* matchParts(filter, rows)
    case 'not': {
      const { marks, isExact } = yield* matchRows(filter.part, rows)
      return isExact ? { marks: invert(marks), isExact } : unknown(rows)
    }
    case 'text':
      return unknown(rows)
    case 'compare':
      return yield* matchField(filter, rows)
  }
}

/** Combined as they come, so that the marks of few are held at once. */
function* matchParts(
  { kind, parts }: Extract<Filter, { kind: 'and' | 'or' }>,
  rows: Rows,
): InSteps<ColumnMatch> {
  const combine = kind === 'and' ? both : either
  const marks = createMarks(rows.length).fill(kind === 'and' ? 1 : 0)
  let isExact = true
  for (const part of parts) {
    const found = yield* matchRows(part, rows)
    combine(marks, found.marks)
    isExact &&= found.isExact
    yield
  }
  return { marks, isExact }
}

function unknown({ length }: Rows): ColumnMatch {
  return { marks: createMarks(length).fill(1), isExact: false }
}

/** Each condition is asked of each value once, by the very function that asks it of messages. */
function* matchField(filter: Comparison, rows: Rows): InSteps<ColumnMatch> {
  const { columns, asOfMs, length } = rows
  const isTrueOf = (fields: Partial<FilterSubject>): boolean =>
    matchesFilter(filter, { ...nothing, ...fields })
  const exactly = (marks: Uint8Array): ColumnMatch => ({ marks, isExact: true })
  switch (filter.field.kind) {
    case 'type':
      return exactly(yield* markCodes(columns.types, length, (types) => isTrueOf({ types })))
    case 'cause':
      return exactly(yield* markCodes(columns.causes, length, (cause) => isTrueOf({ cause })))
    case 'queue':
      return exactly(yield* markCodes(columns.queues, length, (queue) => isTrueOf({ queue })))
    case 'exchange':
      return exactly(yield* markCodes(columns.exchanges, length, (exchange) => isTrueOf({ exchange })))
    case 'key':
      return exactly(yield* markCodes(columns.routingKeys, length, (key) => isTrueOf({ key })))
    case 'attempts':
      return exactly(yield* markCodes(columns.attempts, length, (attempts) => isTrueOf({ attempts })))
    case 'died': {
      const limit = asOfMs - Number(filter.number)
      return exactly(markTimes(flip(filter.operator), columns.diedMs.subarray(0, length), limit))
    }
    case 'diedAt':
      return exactly(markTimes(filter.operator, columns.diedMs.subarray(0, length), Number(filter.number)))
    case 'id':
      return exactly(yield* markIds(filter, rows, isTrueOf))
    case 'header': {
      const column = columns.headers.of(filter.field.name)
      return column
        ? exactly(yield* markCodes(column, length, (value) => isTrueOf({ header: () => value })))
        : unknown(rows)
    }
    case 'body':
      return unknown(rows)
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

/** A condition is asked of so many values in one step. */
const valuesPerStep = 2_000

function* markEach(length: number, isMarked: (at: number) => boolean): InSteps<Uint8Array> {
  const marks = createMarks(length)
  for (let at = 0; at < length; at += 1) {
    marks[at] = isMarked(at) ? 1 : 0
    if (at % valuesPerStep === valuesPerStep - 1) yield
  }
  return marks
}

function* markCodes<Value>(
  { codes, values }: CodedColumn<Value>,
  length: number,
  isTrueOf: (value: Value) => boolean,
): InSteps<Uint8Array> {
  const wanted = yield* markEach(values.length, (code) => isTrueOf(values[code]!))
  const marks = createMarks(length)
  // Most of what people write down beside a narrow condition is true of all, or of none.
  if (!wanted.includes(0)) return marks.fill(1)
  if (!wanted.includes(1)) return marks
  for (let at = 0; at < length; at += 1) marks[at] = wanted[codes[at]!]!
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

function* markIds(
  { operator, value }: Comparison,
  { columns: { ids }, length }: Rows,
  isTrueOf: (fields: Partial<FilterSubject>) => boolean,
): InSteps<Uint8Array> {
  const isPlain = !value.includes('*')
  if (isPlain && operator === '=') return ids.markEqual(value).subarray(0, length)
  if (isPlain && operator === '!=') return invert(ids.markEqual(value)).subarray(0, length)
  return yield* markEach(length, (at) => isTrueOf({ id: ids.at(at) }))
}
