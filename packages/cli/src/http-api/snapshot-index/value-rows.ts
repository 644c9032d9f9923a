import type { Codes } from './codes.ts'
import type { InSteps } from './in-steps.ts'
import { mark, type RowMarks } from './marks.ts'

/** So many that a row of a block fits into 16 bits. */
export const rowsPerBlock = 65_536
/** Of a field that has more values, a pass over its codes is as fast. */
const mostValues = 4_096

/** From here on, a bit for each row of a block takes less than the rows themselves. */
const manyRows = rowsPerBlock / 16

/** The rows of a block by their value. */
interface BlockRows {
  /** The values that many rows have, each with a bit for every row. */
  readonly frequent: readonly { readonly code: number; readonly count: number; readonly bits: Uint32Array }[]
  /** The others that are in this block. */
  readonly rare: Uint16Array
  /** Where the rows of each rare value begin, and where the last ones end. */
  readonly starts: Uint32Array
  readonly rows: Uint16Array
}

/**
 * Which rows have each value, block by block, so that a filter touches the few that it selects, or the few that it does
 * not. Made when a filter asks for the first time, of blocks that are full; with at most 2 bytes a row.
 */
export class ValueRows {
  /** Undefined where a field has too many values. */
  readonly #blocks: (BlockRows | undefined)[] = []

  get bytes(): number {
    return this.#blocks.reduce((sum, block) => sum + (block ? bytesOf(block) : 0), 0)
  }

  /** Of all blocks that are full by then. */
  *growTo(length: number, { codes, values }: { codes: Codes; values: readonly unknown[] }): InSteps<void> {
    while ((this.#blocks.length + 1) * rowsPerBlock <= length) {
      const start = this.#blocks.length * rowsPerBlock
      const isFew = values.length <= mostValues
      this.#blocks.push(
        isFew ? sortRows(codes.subarray(start, start + rowsPerBlock), values.length) : undefined,
      )
      yield
    }
  }

  /** @param wanted 1 for each code that is selected */
  markIn(marks: RowMarks, codes: Codes, wanted: Uint8Array): void {
    const { length } = marks
    for (let start = 0; start < length; start += rowsPerBlock) {
      const end = Math.min(length, start + rowsPerBlock)
      const block = end - start === rowsPerBlock ? this.#blocks[start / rowsPerBlock] : undefined
      if (block) markBlock(marks, { start, block, wanted })
      else markByCode(marks, { start, end, codes, wanted })
    }
  }
}

function bytesOf({ frequent, rare, starts, rows }: BlockRows): number {
  return frequent.length * (rowsPerBlock / 8) + rare.byteLength + starts.byteLength + rows.byteLength
}

function sortRows(codes: Codes, values: number): BlockRows {
  const counts = new Uint32Array(values)
  for (const code of codes) counts[code]! += 1
  const present = Uint16Array.from(counts.keys()).filter((code) => counts[code]! > 0)
  const frequent = Array.from(
    present.filter((code) => counts[code]! >= manyRows),
    (code) => ({ code, count: counts[code]!, bits: new Uint32Array(rowsPerBlock / 32) }),
  )
  const bitsOf = new Map(frequent.map(({ code, bits }) => [code, bits]))
  const rare = present.filter((code) => !bitsOf.has(code))
  const starts = new Uint32Array(rare.length + 1)
  const ends = new Uint32Array(values)
  for (const [index, code] of rare.entries()) {
    ends[code] = starts[index]!
    starts[index + 1] = starts[index]! + counts[code]!
  }
  const rows = new Uint16Array(starts.at(-1)!)
  const bitsByCode = Array.from({ length: values }, (_, code) => bitsOf.get(code))
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at]!
    const bits = bitsByCode[code]
    if (bits) bits[at >>> 5]! |= 1 << (at & 31)
    else {
      rows[ends[code]!] = at
      ends[code]! += 1
    }
  }
  return { frequent, rare, starts, rows }
}

/** Marks the wanted where they are few; else all, and takes back the others. */
function markBlock(
  { words }: RowMarks,
  { start, block, wanted }: { start: number; block: BlockRows; wanted: Uint8Array },
): void {
  const { frequent, rare, starts, rows } = block
  let found = 0
  for (const { code, count } of frequent) found += wanted[code]! * count
  for (const [index, code] of rare.entries()) found += wanted[code]! * (starts[index + 1]! - starts[index]!)
  const target = words.subarray(start >>> 5, (start + rowsPerBlock) >>> 5)
  const isMost = found > rowsPerBlock / 2
  if (isMost) target.fill(0xff_ff_ff_ff)
  if (found === 0 || found === rowsPerBlock) return
  for (const { code, bits } of frequent)
    if ((wanted[code] === 1) !== isMost) for (let at = 0; at < bits.length; at += 1) target[at]! ^= bits[at]!
  for (const [index, code] of rare.entries()) {
    if ((wanted[code] === 1) === isMost) continue
    const end = starts[index + 1]!
    for (let at = starts[index]!; at < end; at += 1) {
      const row = rows[at]!
      target[row >>> 5]! ^= 1 << (row & 31)
    }
  }
}

function markByCode(
  marks: RowMarks,
  { start, end, codes, wanted }: { start: number; end: number; codes: Codes; wanted: Uint8Array },
): void {
  for (let at = start; at < end; at += 1) if (wanted[codes[at]!] === 1) mark(marks, at)
}
