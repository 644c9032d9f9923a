/** Which messages are selected, a bit for each: a million fit into the nearest cache. Bits behind the last message are 0. */
export interface RowMarks {
  readonly length: number
  readonly words: Uint32Array
}

/** Undefined: all are selected. */
export type Marks = RowMarks | undefined

export const bitsPerWord = 32
const allBits = 0xff_ff_ff_ff

/** None is marked. */
export function createMarks(length: number): RowMarks {
  return { length, words: new Uint32Array(Math.ceil(length / bitsPerWord)) }
}

export function markAll(marks: RowMarks): RowMarks {
  marks.words.fill(allBits)
  return dropBehind(marks)
}

export function mark({ words }: RowMarks, at: number): void {
  words[at >>> 5]! |= 1 << (at & 31)
}

export function isMarked({ words }: RowMarks, at: number): boolean {
  return ((words[at >>> 5]! >>> (at & 31)) & 1) === 1
}

/** How many are marked. */
export function countMarks({ words }: RowMarks): number {
  let count = 0
  for (const word of words) count += countBits(word)
  return count
}

export function invert(marks: RowMarks): RowMarks {
  const { words } = marks
  for (let at = 0; at < words.length; at += 1) words[at] = ~words[at]!
  return dropBehind(marks)
}

export function both(left: RowMarks, right: RowMarks): RowMarks {
  for (let at = 0; at < left.words.length; at += 1) left.words[at]! &= right.words[at]!
  return left
}

export function either(left: RowMarks, right: RowMarks): RowMarks {
  for (let at = 0; at < left.words.length; at += 1) left.words[at]! |= right.words[at]!
  return left
}

/** The first that is marked from there on; the length where there is none. */
export function nextMarked({ length, words }: RowMarks, from: number): number {
  if (from >= length) return length
  let at = from >>> 5
  let word = words[at]! & (allBits << (from & 31))
  while (word === 0) {
    at += 1
    if (at === words.length) return length
    word = words[at]!
  }
  return at * bitsPerWord + lowestBit(word)
}

/** The first that is marked behind so many that are marked, too; the length where there is none. */
export function skipMarked(marks: RowMarks, count: number): number {
  const { length, words } = marks
  let left = count
  for (let at = 0; at < words.length; at += 1) {
    const bits = countBits(words[at]!)
    if (left >= bits) {
      left -= bits
      continue
    }
    let word = words[at]!
    for (; left > 0; left -= 1) word &= word - 1
    return at * bitsPerWord + lowestBit(word)
  }
  return length
}

function dropBehind(marks: RowMarks): RowMarks {
  const { length, words } = marks
  const used = length & 31
  if (used > 0) words[words.length - 1]! &= ~(allBits << used)
  return marks
}

/** Adds up neighbours, then pairs, then fours. */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55_55_55_55)
  const fours = (pairs & 0x33_33_33_33) + ((pairs >>> 2) & 0x33_33_33_33)
  return Math.imul((fours + (fours >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word)
}
