import {
  addressOf,
  attemptsOf,
  causeOf,
  diedAt,
  type IncomingMessage,
  originOf,
  readProperty,
  typesOf,
} from 'warrenmq/operations'
import type { Cause, MessageSummary } from '../contract/contract.ts'
import { CodeColumn, type CodedColumn } from './code-column.ts'
import { GrowingColumn } from './growing-column.ts'
import { HeaderColumns } from './header-columns.ts'
import { KeyColumn } from './key-column.ts'
import type { RowMarks } from './marks.ts'
import { TextColumn } from './text-column.ts'
import { type TimeCondition, TimeRanges } from './time-ranges.ts'
import { ValueBook } from './value-book.ts'

/** Where a message stands in the file of a snapshot. */
export interface RecordPlace {
  readonly block: number
  readonly offset: number
}

const wholeNumbers = () => new GrowingColumn((length) => new Uint32Array(length))
const numbersOrNone = () => new GrowingColumn((length) => new Float64Array(length))

class BookColumn<Value> {
  readonly #book: ValueBook<Value>
  readonly #codes = new CodeColumn()

  constructor(nameOf: (value: Value) => string) {
    this.#book = new ValueBook(nameOf)
  }

  push(value: Value): void {
    this.#codes.push(this.#book.codeOf(value))
  }

  get all(): CodedColumn<Value> {
    return { codes: this.#codes.codes, values: this.#book.values, rows: this.#codes.rows }
  }

  at(position: number): Value {
    return this.#book.values[this.#codes.at(position)]!
  }

  get bytes(): number {
    return this.#book.bytes + this.#codes.bytes
  }

  trim(): void {
    this.#codes.trim()
  }
}

const asItIs = (text: string): string => text
/** An empty name is another one than none. */
const orNothing = (text: string | undefined): string => (text === undefined ? '' : `=${text}`)

/** What is known of each message of a snapshot without its file, column by column. Holds about 55 bytes a message and those of its id, 1 or 2 for each counted header, and at most 2 for each field that a filter has asked for. */
export class SnapshotColumns {
  readonly keys = new KeyColumn()
  readonly ids = new TextColumn()
  readonly headers = new HeaderColumns()
  readonly #types = new BookColumn<readonly string[]>((types) => JSON.stringify(types))
  readonly #causes = new BookColumn<Cause>(({ id, label, kind }) => `${kind} ${id} ${label}`)
  readonly #queues = new BookColumn<string | undefined>(orNothing)
  /** Where it was first published, as filters ask for it. */
  readonly #exchanges = new BookColumn<string>(asItIs)
  readonly #routingKeys = new BookColumn<string>(asItIs)
  /** How it was published into the dead-letter queue. */
  readonly #lastExchanges = new BookColumn<string>(asItIs)
  readonly #lastKeys = new BookColumn<string>(asItIs)
  readonly #diedMs = numbersOrNone()
  readonly #diedRanges = new TimeRanges()
  readonly #attempts = new BookColumn<number | undefined>(String)
  readonly #bodyBytes = wholeNumbers()
  readonly #blocks = wholeNumbers()
  readonly #offsets = wholeNumbers()
  #length = 0

  get length(): number {
    return this.#length
  }

  /** @param key of the message, 32 hexadecimal digits */
  add(message: IncomingMessage, key: string, { block, offset }: RecordPlace): void {
    const { properties } = message
    const headers = readProperty(properties, 'headers')
    const address = addressOf(message)
    this.keys.push(key)
    this.ids.push(readProperty(properties, 'messageId'))
    this.headers.push(headers)
    this.#types.push(typesOf(message))
    this.#causes.push(causeOf(headers))
    this.#queues.push(originOf(headers))
    this.#exchanges.push(address.exchange)
    this.#routingKeys.push(address.key)
    this.#lastExchanges.push(message.exchange)
    this.#lastKeys.push(message.routingKey)
    this.#diedMs.push(diedAt(headers) ?? Number.NaN)
    this.#attempts.push(attemptsOf(headers))
    this.#bodyBytes.push(message.bodyBytes)
    this.#blocks.push(block)
    this.#offsets.push(offset)
    this.#length += 1
  }

  get types(): CodedColumn<readonly string[]> {
    return this.#types.all
  }

  get causes(): CodedColumn<Cause> {
    return this.#causes.all
  }

  get queues(): CodedColumn<string | undefined> {
    return this.#queues.all
  }

  get exchanges(): CodedColumn<string> {
    return this.#exchanges.all
  }

  get routingKeys(): CodedColumn<string> {
    return this.#routingKeys.all
  }

  /** NaN where nobody knows. */
  get diedMs(): Float64Array {
    return this.#diedMs.numbers
  }

  /** Those of the first so many that died then. */
  markTimes(length: number, condition: TimeCondition): RowMarks {
    this.#diedRanges.growTo(this.diedMs)
    return this.#diedRanges.mark(this.diedMs.subarray(0, length), condition)
  }

  get attempts(): CodedColumn<number | undefined> {
    return this.#attempts.all
  }

  get bodyBytes(): Uint32Array {
    return this.#bodyBytes.numbers
  }

  placeOf(position: number): RecordPlace {
    return { block: this.#blocks.at(position)!, offset: this.#offsets.at(position)! }
  }

  addressOf(position: number): Pick<IncomingMessage, 'exchange' | 'routingKey'> {
    return { exchange: this.#lastExchanges.at(position), routingKey: this.#lastKeys.at(position) }
  }

  /** @param name of the message as the caller knows it */
  summarise(position: number, name: string): MessageSummary {
    const diedMs = this.#diedMs.at(position)!
    return {
      key: name,
      id: this.ids.at(position) ?? null,
      type: this.#types.at(position)[0] ?? null,
      ...this.addressOf(position),
      failedIn: this.#queues.at(position) ?? null,
      cause: this.#causes.at(position),
      diedAt: Number.isNaN(diedMs) ? null : new Date(diedMs).toISOString(),
      attempts: this.#attempts.at(position) ?? null,
      bodyBytes: this.#bodyBytes.at(position)!,
    }
  }

  /** About what it takes in memory. */
  get bytes(): number {
    return this.#parts().reduce((sum, part) => sum + part.bytes, 0)
  }

  /** No more will come. */
  trim(): void {
    for (const part of this.#parts()) part.trim()
  }

  #parts(): readonly { readonly bytes: number; trim(): void }[] {
    return [
      ...[
        this.keys,
        this.ids,
        this.headers,
        this.#types,
        this.#causes,
        this.#queues,
        this.#exchanges,
        this.#routingKeys,
      ],
      ...[this.#lastExchanges, this.#lastKeys, this.#diedMs, this.#attempts, this.#bodyBytes],
      ...[this.#blocks, this.#offsets],
    ]
  }
}
