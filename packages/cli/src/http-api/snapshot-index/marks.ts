/** 1 for each message that is selected; undefined: all are. */
export type Marks = Uint8Array | undefined

/** None is marked. There is room for whole words, by which marks are combined and counted four at a time. */
export function createMarks(length: number): Uint8Array {
  return new Uint8Array(new ArrayBuffer(4 * Math.ceil(length / 4)), 0, length)
}

/** How many are marked. */
export function countMarks(marks: Uint8Array): number {
  const words = wordsOf(marks)
  let count = 0
  // Adds up the four bytes of a word, each of which is 0 or 1.
  if (words) for (const word of words) count += Math.imul(word, 0x01010101) >>> 24
  else for (const mark of marks) count += mark
  return count
}

export function invert(marks: Uint8Array): Uint8Array {
  const words = wordsOf(marks)
  if (words) for (let at = 0; at < words.length; at += 1) words[at]! ^= 0x01010101
  else for (let at = 0; at < marks.length; at += 1) marks[at]! ^= 1
  // Behind the last mark there is nothing to count.
  if (words) new Uint8Array(marks.buffer).fill(0, marks.length)
  return marks
}

export function both(left: Uint8Array, right: Uint8Array): Uint8Array {
  const [of, by] = wordsOfBoth(left, right)
  for (let at = 0; at < of.length; at += 1) of[at]! &= by[at]!
  return left
}

export function either(left: Uint8Array, right: Uint8Array): Uint8Array {
  const [of, by] = wordsOfBoth(left, right)
  for (let at = 0; at < of.length; at += 1) of[at]! |= by[at]!
  return left
}

type Numbers = Uint8Array | Uint32Array

/** Bytes where one of them was not made here. */
function wordsOfBoth(left: Uint8Array, right: Uint8Array): readonly [Numbers, Numbers] {
  const [of, by] = [wordsOf(left), wordsOf(right)]
  return of && by ? [of, by] : [left, right]
}

function wordsOf({ buffer, byteOffset, length }: Uint8Array): Uint32Array | undefined {
  if (byteOffset !== 0 || buffer.byteLength !== 4 * Math.ceil(length / 4)) return undefined
  return new Uint32Array(buffer)
}
