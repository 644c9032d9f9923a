import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Tells whoever adds up several runs that this one has come to its end, and how. */
export function writeRunStatus(run, status) {
  const { WARREN_TEST_RESULTS: directory } = process.env
  if (directory) writeFileSync(join(directory, `${run}.status`), String(status))
}
