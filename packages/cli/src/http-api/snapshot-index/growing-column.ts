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

  at(position: number): number | undefined {
    return position < this.#length ? this.#numbers[position] : undefined
  }

  get bytes(): number {
    return this.#numbers.byteLength
  }

  /** No more will come. A copy takes memory as well, so little room is left as it is. */
  trim(): void {
    if (isWasteful(this.#numbers.length, this.#length)) this.#resize(this.#length)
  }

  #resize(length: number): void {
    const resized = this.#make(length)
    resized.set(this.#numbers.subarray(0, this.#length))
    this.#numbers = resized
  }
}

/** More than an eighth is empty. */
export function isWasteful(room: number, length: number): boolean {
  return room - length > room / 8
}

const firstLength = 1024
