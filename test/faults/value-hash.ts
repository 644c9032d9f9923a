/** 64 bits that say which value it was, as two numbers of 32. */
export interface ValueHash {
  readonly high: number
  readonly low: number
}

const endOfList = 0x7fffffff
const endOfObject = 0x7ffffffe
const startOfList = 0x7ffffffd
const startOfObject = 0x7ffffffc
const nothing = 0x7ffffffb
const yes = 0x7ffffffa
const no = 0x7ffffff9

/**
 * Hashes plain values: numbers, texts, truth, lists, and objects by the order of their fields. Two lanes of MurmurHash3
 * with constants of their own, which end by mixing each other. No text is made of a value, which took most of the time.
 */
export function createValueHash(): (value: unknown) => ValueHash {
  const words = new Map<string | number, number>()
  let high = 0
  let low = 0

  function mix(word: number): void {
    const one = Math.imul(word, 0xcc9e2d51)
    high ^= Math.imul((one << 15) | (one >>> 17), 0x1b873593)
    high = (Math.imul((high << 13) | (high >>> 19), 5) + 0xe6546b64) | 0
    const other = Math.imul(word, 0x239b961b)
    low ^= Math.imul((other << 16) | (other >>> 16), 0xab0e9789)
    low = (Math.imul((low << 17) | (low >>> 15), 5) + 0x561ccd1b) | 0
  }

  /** Each text, and each number that is no integer of 32 bits, has a word of its own, far from those that are usual. */
  function wordOf(value: string | number): number {
    const known = words.get(value)
    if (known !== undefined) return known
    words.set(value, 0x40000000 + words.size)
    return 0x3fffffff + words.size
  }

  function feed(value: unknown): void {
    if (typeof value === 'number') mix((value | 0) === value ? value : wordOf(value))
    else if (typeof value === 'boolean') mix(value ? yes : no)
    else if (typeof value === 'string') mix(wordOf(value))
    else if (value === undefined || value === null) mix(nothing)
    else if (Array.isArray(value)) {
      mix(startOfList)
      for (const item of value) feed(item)
      mix(endOfList)
    } else {
      mix(startOfObject)
      for (const name in value as object) feed((value as Record<string, unknown>)[name])
      mix(endOfObject)
    }
  }

  return (value) => {
    high = 0x9747b28c | 0
    low = 0x2c1b3c6d | 0
    feed(value)
    const [one, other] = [finish(high), finish(low)]
    return { high: (one + other) >>> 0, low: (other + Math.imul(one + other, 0x9e3779b1)) >>> 0 }
  }
}

function finish(lane: number): number {
  let mixed = lane ^ (lane >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
