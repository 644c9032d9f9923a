/** Gives each different value a number: a million messages have few types, causes and queues. */
export class ValueBook<Value> {
  readonly values: Value[] = []
  readonly #codes = new Map<string, number>()
  readonly #nameOf: (value: Value) => string
  #textBytes = 0

  /** @param nameOf two values are the same where it gives the same for them */
  constructor(nameOf: (value: Value) => string) {
    this.#nameOf = nameOf
  }

  codeOf(value: Value): number {
    const name = this.#nameOf(value)
    const known = this.#codes.get(name)
    if (known !== undefined) return known
    const code = this.values.length
    this.values.push(value)
    this.#codes.set(name, code)
    this.#textBytes += name.length * 2
    return code
  }

  /** About what it takes in memory: an entry of a map, one of a list, and two texts. */
  get bytes(): number {
    return this.values.length * 120 + this.#textBytes * 2
  }
}
