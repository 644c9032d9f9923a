import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { splitTests } from './test/support/split-tests.ts'
import { UncountedReporter } from './test/support/uncounted-reporter.ts'

// One project per kind of test; each can be named with --project. `npm test` runs all but the long fuzz.

// All but the pure code waits long, since only a test that fails waits to the end.
const patient = { testTimeout: 120_000, hookTimeout: 400_000, expect: { poll: { timeout: 60_000 } } }

// The projects with a broker share one: the global setup starts it with the first of them.
const broker = { ...patient, globalSetup: ['test/support/global-setup.ts'] }

// On a shared machine a broker may take a nap in the middle of a test. It is tried once more there, and the log says
// so. What a fault does to messages must hold at the first try.
const twice = { retry: process.env.CI ? 1 : 0 }

// A test stands in the folder of its subject. What needs no RabbitMQ has a project that does not start one. The files
// are all named, since a project with an `exclude` of its own would not hear of an --exclude on the command line.
const integration = splitTests('test/integration')
const faults = splitTests('test/faults')
const e2e = splitTests('test/e2e')
const embedded = [...integration.embedded, ...e2e.embedded]

// Whoever adds up several runs names a directory, and finds one file per run there: a run is called after the version
// of its broker, unless it is given a name.
const { WARREN_TEST_RESULTS: results, WARREN_BROKER_VERSION: version = 'at-hand' } = process.env
const { WARREN_TEST_RUN: run = version } = process.env
const resultsFile = (ending: string) => (results ? join(results, `${run}.${ending}`) : undefined)
const outputFile = resultsFile('json')

// The packages see each other's sources, so that there is one copy of each module in a test, whoever imports it.
const library = join(import.meta.dirname, 'packages/warrenmq/src')
const alias = [
  { find: /^warrenmq$/, replacement: join(library, 'index.ts') },
  { find: /^warrenmq\/(operations|testing)$/, replacement: join(library, '$1.ts') },
  { find: /^@warrenmq\/nestjs$/, replacement: join(import.meta.dirname, 'packages/nestjs/src/index.ts') },
  {
    find: /^@warrenmq\/nestjs\/(console|testing)$/,
    replacement: join(import.meta.dirname, 'packages/nestjs/src/$1.ts'),
  },
]

const config: ViteUserConfig = defineConfig({
  resolve: { alias },
  test: {
    // Most of them wait for a broker most of the time, so two files go side by side on a machine of two cores as well.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    reporters: [
      'default',
      new UncountedReporter({
        secondTries: resultsFile('second-tries'),
        strayErrors: resultsFile('stray-errors'),
      }),
      ...(outputFile ? [['json', { outputFile }] satisfies ['json', object]] : []),
    ],
    projects: [
      // Pure code has nothing to isolate, and a process for each file took longer than the tests in it.
      {
        extends: true,
        test: { name: 'unit', include: ['packages/*/src/**/*.test.ts'], testTimeout: 60_000, isolate: false },
      },
      { extends: true, test: { name: 'fuzz', include: ['test/fuzz/**/*.test.ts'], testTimeout: 3_600_000 } },
      { extends: true, test: { name: 'embedded', include: embedded, ...patient, ...twice } },
      { extends: true, test: { name: 'nestjs', include: ['packages/nestjs/test/**/*.test.ts'], ...patient } },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/*.test.ts'],
          fileParallelism: false,
          ...patient,
          ...twice,
        },
      },
      {
        extends: true,
        test: { name: 'browser-rabbit', include: ['test/browser/rabbit/*.test.ts'], ...broker, ...twice },
      },
      {
        extends: true,
        test: { name: 'embedded-faults', include: faults.embedded, fileParallelism: false, ...patient },
      },
      { extends: true, test: { name: 'integration', include: integration.onRabbit, ...broker, ...twice } },
      {
        extends: true,
        test: { name: 'faults', include: faults.onRabbit, fileParallelism: false, ...broker },
      },
      {
        extends: true,
        test: { name: 'conformance', include: ['test/conformance/**/*.test.ts'], ...broker, ...twice },
      },
      { extends: true, test: { name: 'e2e', include: e2e.onRabbit, ...broker, ...twice } },
    ],
  },
})

export default config
