import { type Filter, type FilterOperator, type FilterSubject, matchesFilter } from 'warrenmq/operations'
import type { CodedColumn } from './code-column.ts'
import type { InSteps } from './in-steps.ts'
import { both, createMarks, either, invert, mark, markAll, type RowMarks } from './marks.ts'
import type { SnapshotColumns } from './snapshot-columns.ts'

type Comparison = Extract<Filter, { kind: 'compare' }>

/** Each message that a filter selects, as far as the columns tell. */
export interface ColumnMatch {
  readonly marks: RowMarks
  /** False: the filter asks for bodies, plain words or headers that are not counted, and those that are marked have yet to be read. */
  readonly isExact: boolean
}

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
  const marks = createMarks(rows.length)
  if (kind === 'and') markAll(marks)
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
  return { marks: markAll(createMarks(length)), isExact: false }
}

/** Each condition is asked of each value once, by the very function that asks it of messages. */
function* matchField(filter: Comparison, rows: Rows): InSteps<ColumnMatch> {
  const { columns, asOfMs, length } = rows
  const isTrueOf = (fields: Partial<FilterSubject>): boolean =>
    matchesFilter(filter, { ...nothing, ...fields })
  const exactly = (marks: RowMarks): ColumnMatch => ({ marks, isExact: true })
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
      const condition = { operator: flip(filter.operator), limit: asOfMs - Number(filter.number) }
      return exactly(columns.markTimes(length, condition))
    }
    case 'diedAt': {
      const condition = { operator: filter.operator, limit: Number(filter.number) }
      return exactly(columns.markTimes(length, condition))
    }
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

function* markEach(length: number, isTrueOf: (at: number) => boolean): InSteps<RowMarks> {
  const marks = createMarks(length)
  for (let at = 0; at < length; at += 1) {
    if (isTrueOf(at)) mark(marks, at)
    if (at % valuesPerStep === valuesPerStep - 1) yield
  }
  return marks
}

/** Each value is asked once; then its messages are known. */
function* markCodes<Value>(
  { codes, values, rows }: CodedColumn<Value>,
  length: number,
  isTrueOf: (value: Value) => boolean,
): InSteps<RowMarks> {
  const wanted = new Uint8Array(values.length)
  for (let code = 0; code < wanted.length; code += 1) {
    wanted[code] = isTrueOf(values[code]!) ? 1 : 0
    if (code % valuesPerStep === valuesPerStep - 1) yield
  }
  const marks = createMarks(length)
  // Most of what people write down beside a narrow condition is true of all, or of none.
  if (!wanted.includes(1)) return marks
  if (!wanted.includes(0)) return markAll(marks)
  yield* rows.growTo(length, { codes, values })
  rows.markIn(marks, codes, wanted)
  return marks
}

/** Who died less than two hours ago died after the moment that was two hours ago. */
function flip(operator: FilterOperator): FilterOperator {
  const flipped = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '=': '=', '!=': '!=' } as const
  return flipped[operator]
}

/** What a pattern begins with, of letters that no other bytes stand for. */
const plainLetters = /^[\x20-)+-~]*/

function* markIds(
  { operator, value }: Comparison,
  { columns: { ids }, length }: Rows,
  isTrueOf: (fields: Partial<FilterSubject>) => boolean,
): InSteps<RowMarks> {
  const isPlain = !value.includes('*')
  if (isPlain && operator === '=') return ids.markEqual(value, length)
  if (isPlain && operator === '!=') return invert(ids.markEqual(value, length))
  const prefix = operator === '=' ? plainLetters.exec(value)![0] : ''
  if (prefix === '') return yield* markEach(length, (at) => isTrueOf({ id: ids.at(at) }))
  const bytes = Buffer.from(prefix)
  return yield* markEach(length, (at) => ids.startsWith(at, bytes) && isTrueOf({ id: ids.at(at) }))
}
