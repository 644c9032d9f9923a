import { bytesOfText, readShortText } from 'warrenmq/operations'
import { GrowingColumn } from './growing-column.ts'
import { createMarks, mark, type RowMarks } from './marks.ts'

const chunkBytes = 1024 * 1024
const none = 0xff_ff_ff_ff

/** Short texts of which each is different, such as ids: their bytes, and where they begin. */
export class TextColumn {
  readonly #chunks: Buffer[] = []
  readonly #starts = new GrowingColumn((length) => new Uint32Array(length))
  /** By which a text is found without reading all of them. */
  readonly #hashes = new GrowingColumn((length) => new Uint32Array(length))
  #end = chunkBytes

  /** @param text at most 255 bytes, as AMQP allows */
  push(text: string | undefined): void {
    if (text === undefined) {
      this.#starts.push(none)
      this.#hashes.push(0)
      return
    }
    const bytes = bytesOfText(text)
    this.#hashes.push(hashOf(bytes))
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
    const bytes = this.#bytesAt(position)
    return bytes && readShortText(bytes, 0, bytes.length)
  }

  /** Of the first so many those that are the same text. */
  markEqual(text: string, length: number): RowMarks {
    const wanted = bytesOfText(text)
    const marks = createMarks(length)
    const hash = hashOf(wanted)
    const hashes = this.#hashes.numbers
    for (let at = hashes.indexOf(hash); at >= 0 && at < length; at = hashes.indexOf(hash, at + 1))
      if (this.#bytesAt(at)?.equals(wanted)) mark(marks, at)
    return marks
  }

  startsWith(position: number, bytes: Buffer): boolean {
    const start = this.#starts.at(position)
    if (start === undefined || start === none) return false
    const chunk = this.#chunks[Math.floor(start / chunkBytes)]!
    const at = start % chunkBytes
    if (chunk[at]! < bytes.length) return false
    for (let index = 0; index < bytes.length; index += 1)
      if (chunk[at + 1 + index] !== bytes[index]) return false
    return true
  }

  #bytesAt(position: number): Buffer | undefined {
    const start = this.#starts.at(position)
    if (start === undefined || start === none) return undefined
    const chunk = this.#chunks[Math.floor(start / chunkBytes)]!
    const at = start % chunkBytes
    return chunk.subarray(at + 1, at + 1 + chunk[at]!)
  }

  get bytes(): number {
    return this.#chunks.length * chunkBytes + this.#starts.bytes + this.#hashes.bytes
  }

  trim(): void {
    this.#starts.trim()
    this.#hashes.trim()
  }
}

/** FNV-1a. Texts with the same hash are compared, so that a poor one costs time only. */
function hashOf(bytes: Buffer): number {
  let hash = 0x81_1c_9d_c5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01_00_01_93)
  return hash >>> 0
}
