import { RecoveryError } from '../../errors.ts'
import { readDuration } from '../../message/duration.ts'
import { comparableNumber } from './comparable-text.ts'
import type { Filter, FilterField, FilterOperator } from './filter.ts'

interface Token {
  readonly kind: 'word' | 'quoted' | 'operator' | 'open' | 'close'
  readonly text: string
  /** From 1. */
  readonly column: number
  /** Nothing is between it and the token before. */
  readonly isGlued: boolean
}

/**
 * Reads a filter such as `type:OrderPlaced and (cause:Timeout or died<2h) and not header.tenant:acme`.
 * Words side by side mean `and`. A mistake is reported with its column.
 * @example
 * ```ts
 * const filter = parseFilter('type:OrderPlaced and (cause:Timeout or died<2h)')
 * ```
 */
export function parseFilter(source: string): Filter {
  const reader = { tokens: tokenize(source), at: 0, depth: 0, end: source.length + 1 }
  if (reader.tokens.length === 0)
    throw mistake('The filter is empty; leave it out to select all messages.', 1)
  const filter = readOr(reader)
  const rest = reader.tokens[reader.at]
  if (rest) throw mistake(`"${rest.text}" closes nothing.`, rest.column)
  return filter
}

interface Reader {
  readonly tokens: readonly Token[]
  at: number
  /** How many brackets and nots are open. */
  depth: number
  readonly end: number
}

/** More than anybody writes, and far less than a stack holds. */
const maxDepth = 100

function tokenize(source: string): readonly Token[] {
  const pattern = /"((?:[^"\\]|\\.)*)"|(<=|>=|!=|[:=<>])|([()])|([^\s"():=<>!]+)|(\S)/gy
  const tokens: Token[] = []
  let endOfLast = -1
  for (let at = skipSpace(source, 0); at < source.length; at = skipSpace(source, pattern.lastIndex)) {
    pattern.lastIndex = at
    const match = pattern.exec(source)!
    const [all, quoted, operator, bracket, word, other] = match
    if (other !== undefined) throw mistake(explainCharacter(other), at + 1)
    const place = { column: at + 1, isGlued: at === endOfLast }
    if (quoted !== undefined) tokens.push({ kind: 'quoted', text: quoted.replace(/\\(.)/g, '$1'), ...place })
    else if (operator !== undefined) tokens.push({ kind: 'operator', text: operator, ...place })
    else if (bracket !== undefined)
      tokens.push({ kind: bracket === '(' ? 'open' : 'close', text: bracket, ...place })
    else tokens.push({ kind: 'word', text: word!, ...place })
    endOfLast = at + all.length
  }
  return tokens
}

function skipSpace(source: string, from: number): number {
  let at = from
  while (at < source.length && /\s/.test(source[at]!)) at += 1
  return at
}

function explainCharacter(character: string): string {
  return character === '"'
    ? 'This quotation mark is not closed.'
    : `"${character}" has no meaning here. Put a value that contains it in quotation marks, such as id:"a${character}b".`
}

function readOr(reader: Reader): Filter {
  const parts = [readAnd(reader)]
  while (takeWord(reader, 'or')) parts.push(readAnd(reader))
  return parts.length === 1 ? parts[0]! : { kind: 'or', parts }
}

function readAnd(reader: Reader): Filter {
  const parts = [readNot(reader)]
  for (;;) {
    const isSaid = takeWord(reader, 'and')
    const next = reader.tokens[reader.at]
    if (!isSaid && (!next || next.kind === 'close' || isWord(next, 'or'))) break
    parts.push(readNot(reader))
  }
  return parts.length === 1 ? parts[0]! : { kind: 'and', parts }
}

function readNot(reader: Reader): Filter {
  const token = reader.tokens[reader.at]
  if (takeWord(reader, 'not')) return { kind: 'not', part: goDeeper(reader, token!, readNot) }
  return readTerm(reader)
}

/** A filter is read and asked by functions that call themselves, and their stack is finite. */
function goDeeper(reader: Reader, token: Token, read: (reader: Reader) => Filter): Filter {
  reader.depth += 1
  if (reader.depth > maxDepth)
    throw mistake(`Brackets and "not" are nested more than ${maxDepth} deep here.`, token.column)
  const part = read(reader)
  reader.depth -= 1
  return part
}

function readTerm(reader: Reader): Filter {
  const token = reader.tokens[reader.at]
  if (!token || token.kind === 'close') {
    throw mistake('A condition is missing here.', token?.column ?? reader.end)
  }
  reader.at += 1
  if (token.kind === 'open') return readGroup(reader, token)
  if (token.kind === 'operator') throw mistake(`A field is missing before "${token.text}".`, token.column)
  const operator = reader.tokens[reader.at]
  if (token.kind === 'word' && operator?.kind === 'operator') return readComparison(reader, token, operator)
  // Taken for text it would select others than were meant.
  if (joiners.some((joiner) => isWord(token, joiner)))
    throw mistake(
      `A condition is missing before "${token.text}". To search for that word, put it in quotation marks.`,
      token.column,
    )
  return { kind: 'text', text: token.text }
}

const joiners = ['and', 'or', 'not']

function readGroup(reader: Reader, open: Token): Filter {
  const inner = goDeeper(reader, open, readOr)
  if (reader.tokens[reader.at]?.kind !== 'close') throw mistake('This bracket is not closed.', open.column)
  reader.at += 1
  return inner
}

function readComparison(reader: Reader, name: Token, operator: Token): Filter {
  const named = readField(name)
  reader.at += 1
  const first = reader.tokens[reader.at]
  if (first?.kind !== 'word' && first?.kind !== 'quoted') {
    throw mistake(`A value is missing after "${operator.text}".`, first?.column ?? reader.end)
  }
  const value = readValue(reader)
  const field = named.kind === 'died' && isoTime.test(value) ? { kind: 'diedAt' as const } : named
  const sign = (operator.text === ':' ? '=' : operator.text) as FilterOperator
  const number = readNumber(field, value, first.column)
  if (!['=', '!='].includes(sign) && number === undefined) {
    throw mistake(`"${value}" is not a number, and "${sign}" compares numbers.`, first.column)
  }
  if (named.kind === 'died' && (sign === '=' || sign === '!=')) {
    throw mistake(
      'Use died<2h (less than two hours ago), died>2h, or a time such as died>=2026-01-31T12:00Z.',
      operator.column,
    )
  }
  return { kind: 'compare', field, operator: sign, value, number }
}

/** A value may hold colons and signs as long as no space comes between: `header.at:2026-01-01T00:00`. */
function readValue(reader: Reader): string {
  let value = ''
  for (let token = reader.tokens[reader.at]; token; token = reader.tokens[reader.at]) {
    if (value !== '' && (!token.isGlued || token.kind === 'close' || token.kind === 'open')) break
    value += token.text
    reader.at += 1
    if (token.kind === 'quoted') break
  }
  return value
}

const plainFields = ['type', 'cause', 'queue', 'key', 'exchange', 'id', 'died', 'attempts'] as const

function readField({ text, column }: Token): FilterField {
  const field = findField(text)
  if (field) return field
  throw mistake(
    `There is no field "${text}". Known are ${plainFields.join(', ')}, header.NAME and body.PATH.`,
    column,
  )
}

/** The field with this name; undefined if there is none. */
export function findField(text: string): FilterField | undefined {
  const plain = plainFields.find((name) => name === text)
  if (plain) return { kind: plain }
  if (text.startsWith('header.') && text.length > 7) return { kind: 'header', name: text.slice(7) }
  if (text.startsWith('body.') && text.length > 5) return { kind: 'body', path: text.slice(5).split('.') }
  return undefined
}

/** A date, or a time with its zone: without one it would mean another moment on every machine. */
const isoTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

function readNumber(field: FilterField, value: string, column: number): number | bigint | undefined {
  if (field.kind === 'diedAt') return readMoment(value, column)
  if (field.kind !== 'died') return comparableNumber(value)
  const reading = readDuration(value)
  if (!reading.isValid) throw mistake(reading.problem, column)
  return reading.milliseconds
}

function readMoment(value: string, column: number): number {
  const momentMs = Date.parse(value)
  if (Number.isNaN(momentMs)) throw mistake(`"${value}" is not a valid time.`, column)
  return momentMs
}

function takeWord(reader: Reader, word: string): boolean {
  const token = reader.tokens[reader.at]
  if (!token || !isWord(token, word) || reader.tokens[reader.at + 1]?.kind === 'operator') return false
  reader.at += 1
  return true
}

function isWord(token: Token, word: string): boolean {
  return token.kind === 'word' && token.text.toLowerCase() === word
}

function mistake(problem: string, column: number): RecoveryError {
  return new RecoveryError({
    code: 'FILTER_INVALID',
    message: `Column ${column} of the filter: ${problem}`,
    column,
  })
}
