import {
  createMarks,
  isMarked,
  mark,
  type RowMarks,
} from '../../../packages/cli/src/http-api/snapshot-index/marks.ts'

export function marksOf(values: readonly boolean[]): RowMarks {
  const marks = createMarks(values.length)
  for (const [at, value] of values.entries()) if (value) mark(marks, at)
  return marks
}

/** As a list of what is selected, for a test to read. */
export function listMarks(marks: RowMarks): readonly boolean[] {
  return Array.from({ length: marks.length }, (_, at) => isMarked(marks, at))
}
