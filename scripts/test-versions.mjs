// Runs the tests that need a broker on several versions, side by side as far as there are cores, and prints what
// came of it.
//   node scripts/test-versions.mjs [version…] [--but <version that has been run>] [--at-once <count>] [--whole]
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { brokerProjects } from './broker-projects.mjs'
import { readTestCounts } from './read-test-counts.mjs'
import { writeRunStatus } from './write-run-status.mjs'

const supported = [
  { version: '3.10', isRequired: true },
  { version: '4.0', isRequired: true, isBetween: true },
  // Comes from Debian sid, which may be without it for a while.
  { version: '4.3', isRequired: false },
]

// What needs a broker, though its version can change nothing: words, files and the HTTP server's own defences.
// `npm test` runs it once.
const sameOnEveryVersion = [
  ...['config-cli', 'docs', 'topology-cli-words'].map((name) => `test/e2e/${name}.test.ts`),
  ...['missing-broker', 'orphans', 'proxy'].map((name) => `test/integration/support/${name}.test.ts`),
  ...[
    ...['disclosure', 'doors', 'guesses', 'hostile', 'hostile-connections', 'limits', 'lists', 'malformed'],
    ...['names', 'oidc', 'oidc-attacks', 'oidc-login', 'openapi', 'payloads', 'sessions', 'start'],
    ...['typed-bodies', 'webhooks'],
  ].map((name) => `test/integration/http-api/${name}.test.ts`),
]

// Where the oldest and the newest RabbitMQ agree, one between them seldom differs: of the HTTP API, and of programs that
// run all of Warren at once, it sees what leans on the broker most. `--whole` leaves nothing out.
const httpApi = 'test/integration/http-api'
const seenByAll = ['access', 'forged-records', 'queue-guard', 'real-broker', 'tasks-survive']
const onOldestAndNewest = [
  ...['demo', 'examples'].map((name) => `test/e2e/${name}.test.ts`),
  ...readdirSync(httpApi)
    .filter((name) => name.endsWith('.test.ts') && !seenByAll.includes(name.replace('.test.ts', '')))
    .map((name) => `${httpApi}/${name}`),
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    but: { type: 'string' },
    'at-once': { type: 'string', default: String(availableParallelism()) },
    whole: { type: 'boolean', default: false },
  },
})
const directory = mkdtempSync(join(tmpdir(), 'warrenmq-versions-'))
const resultsDirectory = process.env.WARREN_TEST_RESULTS || directory

const waiting = chooseVersions()
const runs = []
await Promise.all(Array.from({ length: Number(values['at-once']) }, runWaiting))
rmSync(directory, { recursive: true, force: true })
printTable(runs)
process.exitCode = runs.every(isGood) ? 0 : 1

function chooseVersions() {
  const wanted = supported.filter(({ version }) => positionals.length === 0 || positionals.includes(version))
  const unknown = positionals.filter((version) => !supported.some((one) => one.version === version))
  const others = unknown.map((version) => ({ version, isRequired: true }))
  return [...wanted, ...others].filter(({ version }) => !`${values.but}.`.startsWith(`${version}.`))
}

async function runWaiting() {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
    runs.push(await runVersion(next))
}

async function runVersion({ version, isRequired, isBetween = false }) {
  const reportFile = join(directory, `${version}.report.json`)
  const startedAt = Date.now()
  const leftOut = values.whole ? [] : [...sameOnEveryVersion, ...(isBetween ? onOldestAndNewest : [])]
  const hasPassed = await runTests(version, leftOut, {
    ...process.env,
    WARREN_BROKER_VERSION: version,
    WARREN_BROKER_REPORT: reportFile,
    WARREN_TEST_RESULTS: resultsDirectory,
  })
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  const counts = readTestCounts(join(resultsDirectory, `${version}.json`))
  const run = { version, isRequired, ...readReport(reportFile), ...counts, seconds, hasPassed }
  writeRunStatus(version, isGood(run) ? 0 : 1)
  return run
}

/** Each line says which version it is of. */
function runTests(version, leftOut, env) {
  const args = [
    ...['vitest', 'run'],
    ...brokerProjects.flatMap((name) => ['--project', name]),
    ...leftOut.flatMap((file) => ['--exclude', file]),
  ]
  const tests = spawn('npx', args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [tests.stdout, tests.stderr]) {
    createInterface({ input: stream }).on('line', (line) => console.log(`${version.padEnd(4)} │ ${line}`))
  }
  return new Promise((resolve) => {
    tests.on('close', (exitCode) => resolve(exitCode === 0))
  })
}

function readReport(file) {
  try {
    const { version: broker, source, unavailable } = JSON.parse(readFileSync(file, 'utf8'))
    return { broker, source, unavailable }
  } catch {
    return { unavailable: 'the run ended before a broker was looked for' }
  }
}

function isGood({ hasPassed, unavailable, isRequired }) {
  return unavailable === undefined ? hasPassed : !isRequired
}

function printTable(all) {
  console.log('')
  console.table(
    Object.fromEntries(
      all.map(({ version, broker, source, passed, failed, skipped, seconds, unavailable }) => [
        version,
        unavailable === undefined
          ? { broker, source, passed, failed, skipped, seconds }
          : { broker: 'NOT AVAILABLE', seconds },
      ]),
    ),
  )
  for (const { version, isRequired, unavailable } of all) {
    if (unavailable === undefined) continue
    console.error(`\n!!! RabbitMQ ${version} WAS NOT TESTED: ${unavailable}`)
    console.error(
      isRequired ? '!!! It must be there, so this run has failed.' : '!!! The run goes on without it.',
    )
  }
}
