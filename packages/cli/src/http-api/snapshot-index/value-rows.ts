import type { Codes } from './code-column.ts'
import type { InSteps } from './in-steps.ts'
import { mark, type RowMarks } from './marks.ts'

/** So many that a row of a block fits into 16 bits. */
export const rowsPerBlock = 65_536
/** Of a field that has more values, a pass over its codes is as fast. */
const mostValues = 4_096

/** The rows of a block by their value, and in their order. */
interface BlockRows {
  /** Those that are in this block. */
  readonly codes: Uint16Array
  /** Where the rows of each of them begin, and where the last ones end. */
  readonly starts: Uint32Array
  /** Undefined: all have one value. */
  readonly rows: Uint16Array | undefined
}

/**
 * Which rows have each value, block by block, so that a filter touches the few that it selects, or the few that it does
 * not. Made when a filter asks for the first time, of blocks that are full; with at most 2 bytes a row.
 */
export class ValueRows {
  /** Undefined where a field has too many values. */
  readonly #blocks: (BlockRows | undefined)[] = []

  get bytes(): number {
    return this.#blocks.reduce((sum, block) => sum + (block?.rows?.byteLength ?? 0), 0)
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

function sortRows(codes: Codes, values: number): BlockRows {
  const counts = new Uint32Array(values)
  for (const code of codes) counts[code]! += 1
  const present = Uint16Array.from(counts.keys()).filter((code) => counts[code]! > 0)
  const starts = new Uint32Array(present.length + 1)
  for (const [index, code] of present.entries()) {
    starts[index + 1] = starts[index]! + counts[code]!
    counts[code] = starts[index]! // from here on, where the next of its rows goes
  }
  if (present.length === 1) return { codes: present, starts, rows: undefined }
  const rows = new Uint16Array(codes.length)
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at]!
    rows[counts[code]!] = at
    counts[code]! += 1
  }
  return { codes: present, starts, rows }
}

/** Marks the wanted one by one where they are few; else all, and takes back the others. */
function markBlock(
  { words }: RowMarks,
  { start, block, wanted }: { start: number; block: BlockRows; wanted: Uint8Array },
): void {
  const { codes, starts, rows } = block
  const found = codes.reduce(
    (sum, code, index) => sum + wanted[code]! * (starts[index + 1]! - starts[index]!),
    0,
  )
  const firstWord = start >>> 5
  const isMost = found > rowsPerBlock / 2
  if (isMost) words.fill(0xff_ff_ff_ff, firstWord, firstWord + rowsPerBlock / 32)
  if (found === 0 || found === rowsPerBlock || !rows) return
  for (const [index, code] of codes.entries()) {
    if ((wanted[code] === 1) === isMost) continue
    const end = starts[index + 1]!
    for (let at = starts[index]!; at < end; at += 1) {
      const row = rows[at]!
      words[firstWord + (row >>> 5)]! ^= 1 << (row & 31)
    }
  }
}

function markByCode(
  marks: RowMarks,
  { start, end, codes, wanted }: { start: number; end: number; codes: Codes; wanted: Uint8Array },
): void {
  for (let at = start; at < end; at += 1) if (wanted[codes[at]!] === 1) mark(marks, at)
}
