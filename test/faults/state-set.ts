import type { ValueHash } from './value-hash.ts'

const firstSlots = 1 << 16

/** States by 64 bits of their hash: eight bytes each, and at most half of the room is taken. */
export class StateSet {
  #slots = new Uint32Array(2 * firstSlots)
  #size = 0

  get size(): number {
    return this.#size
  }

  has(key: ValueHash): boolean {
    const at = slotOf(key, this.#slots)
    return this.#slots[at] !== 0 || this.#slots[at + 1] !== 0
  }

  add(key: ValueHash): void {
    if (4 * this.#size >= this.#slots.length) this.#grow()
    put(key, this.#slots)
    this.#size += 1
  }

  #grow(): void {
    const slots = new Uint32Array(2 * this.#slots.length)
    for (let at = 0; at < this.#slots.length; at += 2) {
      const [high, low] = [this.#slots[at]!, this.#slots[at + 1]!]
      if (high !== 0 || low !== 0) put({ high, low }, slots)
    }
    this.#slots = slots
  }
}

function put(key: ValueHash, slots: Uint32Array): void {
  const at = slotOf(key, slots)
  slots[at] = key.high
  slots[at + 1] = key.low
}

/** Where the key is, or the free slot where it belongs. */
function slotOf({ high, low }: ValueHash, slots: Uint32Array): number {
  const mask = slots.length / 2 - 1
  for (let slot = low & mask; ; slot = (slot + 1) & mask) {
    const at = 2 * slot
    const isFree = slots[at] === 0 && slots[at + 1] === 0
    if (isFree || (slots[at] === high && slots[at + 1] === low)) return at
  }
}
