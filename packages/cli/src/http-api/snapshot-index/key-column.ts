import { GrowingColumn } from './growing-column.ts'

const words = 4
const digitsOfWord = 8

/** The keys of messages, 32 hexadecimal digits each, as bytes. */
export class KeyColumn {
  readonly #words = new GrowingColumn((length) => new Uint32Array(length))

  push(key: string): void {
    for (let word = 0; word < words; word += 1) this.#words.push(wordOf(key, word))
  }

  at(position: number): string {
    const own = this.#words.numbers.subarray(position * words, (position + 1) * words)
    return Array.from(own, (word) => word.toString(16).padStart(digitsOfWord, '0')).join('')
  }

  /** The places of a key, in order: messages with the same content have the same. */
  find(key: string): readonly number[] {
    const all = this.#words.numbers
    const [first = 0, ...rest] = Array.from({ length: words }, (_, word) => wordOf(key, word))
    const found: number[] = []
    for (let at = 0; at < all.length; at += words)
      if (all[at] === first && rest.every((word, index) => all[at + 1 + index] === word))
        found.push(at / words)
    return found
  }

  get bytes(): number {
    return this.#words.bytes
  }

  trim(): void {
    this.#words.trim()
  }
}

function wordOf(key: string, word: number): number {
  return Number.parseInt(key.slice(word * digitsOfWord, (word + 1) * digitsOfWord), 16)
}
