// Runs the test files that failed once more, one after the other, when nothing else runs any more. A machine that was
// too busy fails a test as a bug does, and alone they can be told apart. What passes is told as a second try.
//   node scripts/try-failed-alone.mjs <directory of results>
// A fault test whose assertion failed is not tried again: what a fault does to messages must hold at the first try.
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { readTestResults } from './read-test-results.mjs'

/** With more than these a second try would only hide what is wrong. */
const mostFiles = 8
/** Of `npm test`; the others are those of the versions. */
const ownRuns = ['at-hand.status', 'without-broker.status']

const [directory] = process.argv.slice(2)
const runs = readdirSync(directory)
  .filter((name) => name.endsWith('.json'))
  .map((name) => readRun(name.replace('.json', '')))
const failed = runs.flatMap((run) => failedFiles(run.results).map((file) => ({ run, file })))

process.exitCode = canBeTriedAgain() && failed.every(tryAlone) ? 0 : 1

function readRun(name) {
  const file = join(directory, `${name}.json`)
  return { name, file, results: readTestResults(file) }
}

function canBeTriedAgain() {
  if (failed.length === 0 || failed.length > mostFiles || !hasEveryRunEnded()) return false
  const hasStrayErrors = readdirSync(directory)
    .filter((name) => name.endsWith('.stray-errors'))
    .some((name) => readFileSync(join(directory, name), 'utf8') !== '')
  return !hasStrayErrors && !failed.some(({ file }) => isFinal(file))
}

/** A run that broke off has failed for a reason that no test tells. */
function hasEveryRunEnded() {
  const ended = readdirSync(directory).filter((name) => name.endsWith('.status'))
  const isExplained = (name) =>
    readFileSync(join(directory, name), 'utf8') === '0' ||
    failed.some(({ run }) => run.name === name.replace('.status', ''))
  const others = ended.filter((name) => !ownRuns.includes(name))
  return others.length > 0 && ownRuns.every((name) => ended.includes(name)) && ended.every(isExplained)
}

function failedFiles({ testResults }) {
  return testResults.filter(({ status }) => status === 'failed')
}

function isFinal({ name, assertionResults }) {
  const messages = assertionResults.flatMap(({ failureMessages = [] }) => failureMessages)
  return relative(process.cwd(), name).startsWith('test/faults/') && messages.some(isAssertion)
}

function isAssertion(message) {
  return message.startsWith('AssertionError')
}

function tryAlone({ run, file }) {
  const path = relative(process.cwd(), file.name)
  console.log(`\n=== once more, alone: ${path} (${run.name})`)
  const folder = mkdtempSync(join(tmpdir(), 'warrenmq-alone-'))
  const { status } = spawnSync('npx', ['vitest', 'run', path], {
    stdio: 'inherit',
    env: { ...process.env, ...brokerOf(run.name), WARREN_TEST_RESULTS: folder, WARREN_TEST_RUN: 'alone' },
  })
  const second = readTestResults(join(folder, 'alone.json'))
  rmSync(folder, { recursive: true, force: true })
  if (status !== 0) return false
  replaceResults(run, file, second)
  appendFileSync(
    join(directory, `${run.name}.second-tries`),
    failureLines(path, file)
      .map((line) => `${line}\n`)
      .join(''),
  )
  return true
}

/** A run is called after its version, but for those that take the broker at hand or none. */
function brokerOf(name) {
  return /^\d/.test(name) ? { WARREN_BROKER_VERSION: name } : {}
}

function failureLines(path, { assertionResults, message = '' }) {
  const tests = assertionResults.filter(({ status }) => status === 'failed')
  if (tests.length === 0) return [`${path} (alone): ${message.split('\n')[0]}`]
  return tests.map(
    ({ fullName, failureMessages }) => `${path} (alone) > ${fullName}: ${failureMessages[0]?.split('\n')[0]}`,
  )
}

/** Counted as they came out at last. */
function replaceResults({ file, results }, first, second) {
  const count = (of, wanted) => of.assertionResults.filter(({ status }) => status === wanted).length
  results.testResults = results.testResults.flatMap((one) => (one === first ? second.testResults : [one]))
  for (const [key, status] of [
    ['numPassedTests', 'passed'],
    ['numFailedTests', 'failed'],
  ]) {
    const after = second.testResults.reduce((sum, one) => sum + count(one, status), 0)
    results[key] += after - count(first, status)
  }
  writeFileSync(file, JSON.stringify(results))
}
