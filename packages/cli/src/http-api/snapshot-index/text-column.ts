import { bytesOfText, readShortText } from 'warrenmq/operations'
import { GrowingColumn } from './growing-column.ts'

const chunkBytes = 1024 * 1024
const none = 0xff_ff_ff_ff

/** Short texts of which each is different, such as ids: their bytes, and where they begin. */
export class TextColumn {
  readonly #chunks: Buffer[] = []
  readonly #starts = new GrowingColumn((length) => new Uint32Array(length))
  #end = chunkBytes

  /** @param text at most 255 bytes, as AMQP allows */
  push(text: string | undefined): void {
    if (text === undefined) {
      this.#starts.push(none)
      return
    }
    const bytes = bytesOfText(text)
    if (this.#end + 1 + bytes.length > chunkBytes) {
      this.#chunks.push(Buffer.allocUnsafe(chunkBytes))
      this.#end = 0
    }
    const chunk = this.#chunks.at(-1)!
    this.#starts.push((this.#chunks.length - 1) * chunkBytes + this.#end)
    chunk[this.#end] = bytes.length
    bytes.copy(chunk, this.#end + 1)
    this.#end += 1 + bytes.length
  }

  at(position: number): string | undefined {
    const start = this.#starts.numbers[position]
    if (start === undefined || start === none) return undefined
    const chunk = this.#chunks[Math.floor(start / chunkBytes)]!
    const at = start % chunkBytes
    return readShortText(chunk, at + 1, at + 1 + chunk[at]!)
  }

  /** 1 for each text that is the same as this one. */
  markEqual(text: string): Uint8Array {
    const wanted = bytesOfText(text)
    const starts = this.#starts.numbers
    const marks = new Uint8Array(starts.length)
    if (wanted.length > 255) return marks
    for (let position = 0; position < starts.length; position += 1) {
      const start = starts[position]!
      if (start === none) continue
      const chunk = this.#chunks[Math.floor(start / chunkBytes)]!
      const at = start % chunkBytes
      if (chunk[at] === wanted.length && wanted.compare(chunk, at + 1, at + 1 + wanted.length) === 0)
        marks[position] = 1
    }
    return marks
  }

  get bytes(): number {
    return this.#chunks.length * chunkBytes + this.#starts.bytes
  }

  trim(): void {
    this.#starts.trim()
  }
}
