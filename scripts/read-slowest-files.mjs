import { relative } from 'node:path'
import { readTestResults } from './read-test-results.mjs'

/** The files that took longest in a run, from the start of their first test to the end of their last. */
export function readSlowestFiles(results, count) {
  return readTestResults(results)
    .testResults.map(({ name, startTime, endTime }) => ({
      file: relative(process.cwd(), name),
      seconds: (endTime - startTime) / 1000,
    }))
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, count)
}
