import { readFileSync } from 'node:fs'

/** What vitest's JSON reporter wrote; nothing but zeros if the run ended before that. */
export function readTestResults(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] }
  }
}
