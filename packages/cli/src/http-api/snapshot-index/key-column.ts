import { GrowingColumn } from './growing-column.ts'

const digitsOfWord = 8

/** The keys of messages, 32 hexadecimal digits each, as four numbers. */
export class KeyColumn {
  readonly #words = Array.from(
    { length: 4 },
    () => new GrowingColumn<Uint32Array>((length) => new Uint32Array(length)),
  )

  push(key: string): void {
    for (const [word, column] of this.#words.entries()) column.push(wordOf(key, word))
  }

  at(position: number): string {
    return this.#words.map((column) => column.at(position)!.toString(16).padStart(digitsOfWord, '0')).join('')
  }

  /** The places of a key, in order: messages with the same content have the same. */
  find(key: string): readonly number[] {
    const first = this.#words[0]!.numbers
    const wanted = wordOf(key, 0)
    const found: number[] = []
    for (let at = first.indexOf(wanted); at >= 0; at = first.indexOf(wanted, at + 1))
      if (this.at(at) === key) found.push(at)
    return found
  }

  get bytes(): number {
    return this.#words.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  trim(): void {
    for (const column of this.#words) column.trim()
  }
}

function wordOf(key: string, word: number): number {
  return Number.parseInt(key.slice(word * digitsOfWord, (word + 1) * digitsOfWord), 16)
}
