import { readFileSync } from 'node:fs'

/** How many tests passed, failed and were skipped in a run, from the file of vitest's JSON reporter. */
export function readTestCounts(file) {
  let results
  try {
    results = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { passed: 0, failed: 0, skipped: 0 }
  }
  // A file that could not be loaded has no tests to count, and must not look like success.
  const brokenFiles = results.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((one) => one.status !== 'failed'),
  )
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + brokenFiles.length,
    skipped: results.numPendingTests + results.numTodoTests,
  }
}
