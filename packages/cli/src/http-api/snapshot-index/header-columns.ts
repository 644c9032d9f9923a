import { clientHeaders, type FieldValue, toPlainField } from 'warrenmq/operations'
import { CodeColumn, type CodedColumn } from './code-column.ts'
import { ValueBook } from './value-book.ts'

/** A value that a header has in a few letters; undefined: the message does not have the header. */
export type HeaderValue = string | number | bigint | boolean | undefined

/** So many headers are counted; and one that has more values, or longer ones, is not. */
const mostHeaders = 16
const mostValues = 500
const mostCharacters = 100
/** More names than this are some application's data, and no more are looked at. */
const mostNames = 256

class HeaderColumn {
  readonly #book = new ValueBook<HeaderValue>((value) => `${typeof value} ${value}`)
  readonly #codes = new CodeColumn()
  #length = 0

  constructor() {
    this.#book.codeOf(undefined)
  }

  get length(): number {
    return this.#length
  }

  get all(): CodedColumn<HeaderValue> {
    return { codes: this.#codes.codes, values: this.#book.values, rows: this.#codes.rows }
  }

  get bytes(): number {
    return this.#book.bytes + this.#codes.bytes
  }

  /** False: there are more values than are counted. */
  push(value: HeaderValue): boolean {
    this.#codes.push(this.#book.codeOf(value))
    this.#length += 1
    return this.#book.values.length <= mostValues + 1
  }

  /** Messages up to this one do not have the header. */
  fillTo(length: number): void {
    this.#codes.zeroTo(length) // the code of "undefined", which came first
    this.#length = Math.max(this.#length, length)
  }

  trim(): void {
    this.#codes.trim()
  }
}

/** The headers that have few values, such as a tenant or a region, message by message. */
export class HeaderColumns {
  readonly #columns = new Map<string, HeaderColumn>()
  /** Headers that have many values, such as ids, or values that are no text or number, and those that found no room. */
  readonly #refused = new Set<string>()
  #length = 0

  push(headers: Buffer | undefined): void {
    for (const { name, value } of clientHeaders(headers)) {
      const column = this.#columnOf(name)
      // Of two with one name, the first counts, as in a filter.
      if (!column || column.length > this.#length) continue
      const counted = countedValue(value)
      if (counted === undefined || !column.push(counted)) this.#refuse(name)
    }
    this.#length += 1
    for (const column of this.#columns.values()) column.fillTo(this.#length)
  }

  get names(): readonly string[] {
    return [...this.#columns.keys()]
  }

  /** Undefined: it is not counted, so only the file tells. */
  of(name: string): CodedColumn<HeaderValue> | undefined {
    return this.#columns.get(name)?.all
  }

  get bytes(): number {
    return [...this.#columns.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  trim(): void {
    for (const column of this.#columns.values()) column.trim()
  }

  #columnOf(name: string): HeaderColumn | undefined {
    const known = this.#columns.get(name)
    if (known || this.#refused.has(name)) return known
    if (this.#refused.size >= mostNames) return undefined
    if (this.#columns.size >= mostHeaders) {
      // Should there be room later, nobody would know which of the messages so far have it.
      this.#refused.add(name)
      return undefined
    }
    const column = new HeaderColumn()
    column.fillTo(this.#length)
    this.#columns.set(name, column)
    return column
  }

  #refuse(name: string): void {
    this.#columns.delete(name)
    this.#refused.add(name)
  }
}

function countedValue(value: FieldValue): HeaderValue {
  const plain: unknown = toPlainField(value)
  if (typeof plain === 'string') return plain.length <= mostCharacters ? plain : undefined
  return typeof plain === 'number' || typeof plain === 'bigint' || typeof plain === 'boolean'
    ? plain
    : undefined
}
