import type { Codes } from './codes.ts'
import { isWasteful } from './growing-column.ts'
import { ValueRows } from './value-rows.ts'

/** A field that has few values, as a number for each message. */
export interface CodedColumn<Value> {
  readonly codes: Codes
  readonly values: readonly Value[]
  /** Which messages have each value, for filters. */
  readonly rows: ValueRows
}

const firstLength = 1024
const widths = [Uint8Array, Uint16Array, Uint32Array]

/** The codes of a field side by side, each in as many bytes as the largest takes. */
export class CodeColumn {
  readonly rows = new ValueRows()
  #codes: Codes = new Uint8Array(firstLength)
  #length = 0

  push(code: number): void {
    const isWider = code >= 2 ** (8 * this.#codes.BYTES_PER_ELEMENT)
    if (isWider || this.#length === this.#codes.length)
      this.#resize(this.#length < this.#codes.length ? this.#codes.length : this.#length * 2, code)
    this.#codes[this.#length] = code
    this.#length += 1
  }

  /** Zeros, until there are so many. At once: whoever writes a header decides how often a column begins late. */
  zeroTo(length: number): void {
    let room = this.#codes.length
    while (room < length) room *= 2
    if (room > this.#codes.length) this.#resize(room)
    this.#length = Math.max(this.#length, length)
  }

  /** What is there now; what is pushed later is not in it. */
  get codes(): Codes {
    return this.#codes.subarray(0, this.#length)
  }

  at(position: number): number {
    return this.#codes[position]!
  }

  get bytes(): number {
    return this.#codes.byteLength + this.rows.bytes
  }

  /** No more will come. */
  trim(): void {
    if (isWasteful(this.#codes.length, this.#length))
      this.#codes = this.#codes.slice(0, Math.max(1, this.#length))
  }

  #resize(length: number, code = 0): void {
    const Wide = widths.find(
      (width) =>
        width.BYTES_PER_ELEMENT >= this.#codes.BYTES_PER_ELEMENT && code < 2 ** (8 * width.BYTES_PER_ELEMENT),
    )!
    const resized = new Wide(length)
    resized.set(this.#codes.subarray(0, this.#length))
    this.#codes = resized
  }
}
