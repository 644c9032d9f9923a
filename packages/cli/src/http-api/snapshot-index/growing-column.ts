type Numbers = Uint32Array | Float64Array

/** Numbers side by side, as many as come. */
export class GrowingColumn<Kind extends Numbers> {
  #numbers: Kind
  #length = 0
  readonly #make: (length: number) => Kind

  constructor(make: (length: number) => Kind) {
    this.#make = make
    this.#numbers = make(firstLength)
  }

  push(value: number): void {
    if (this.#length === this.#numbers.length) this.#resize(this.#length * 2)
    this.#numbers[this.#length] = value
    this.#length += 1
  }

  /** What is there now; what is pushed later is not in it. */
  get numbers(): Kind {
    return this.#numbers.subarray(0, this.#length) as Kind
  }

  get bytes(): number {
    return this.#numbers.byteLength
  }

  /** No more will come. */
  trim(): void {
    this.#resize(this.#length)
  }

  #resize(length: number): void {
    const resized = this.#make(length)
    resized.set(this.#numbers.subarray(0, this.#length))
    this.#numbers = resized
  }
}

const firstLength = 1024
