import { relative } from 'node:path'
import { readTestResults } from './read-test-results.mjs'

/** How many tests passed, failed and were skipped in a run, and which failed, from the file of vitest's JSON reporter. */
export function readTestCounts(file) {
  const results = readTestResults(file)
  // A file that could not be loaded has no tests to count, and must not look like success.
  const brokenFiles = results.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((one) => one.status !== 'failed'),
  )
  return {
    passed: results.numPassedTests,
    failed: results.numFailedTests + brokenFiles.length,
    skipped: results.numPendingTests + results.numTodoTests,
    failures: [
      ...brokenFiles.map(({ name, message }) => describe(name, '(could not be loaded)', message)),
      ...results.testResults.flatMap(({ name, assertionResults }) =>
        assertionResults
          .filter(({ status }) => status === 'failed')
          .map(({ fullName, failureMessages }) => describe(name, fullName, failureMessages.join('\n'))),
      ),
    ],
  }
}

/** Enough of a failure to find it when only the end of a log is left. */
function describe(file, test, message = '') {
  const [firstLines] = message.split('\n    at ')
  return `${relative(process.cwd(), file)} > ${test}\n  ${firstLines.slice(0, 600).replaceAll('\n', '\n  ')}`
}
