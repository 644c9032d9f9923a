import { join } from 'node:path'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { SecondTriesReporter } from './test/support/second-tries-reporter.ts'

// One project per kind of test; each can be named with --project. `npm test` runs all but the long fuzz.
// The projects with a broker share one: the global setup starts it with the first of them. They wait long, since only
// a test that fails waits to the end.
const broker = {
  globalSetup: ['test/support/global-setup.ts'],
  testTimeout: 120_000,
  hookTimeout: 400_000,
  expect: { poll: { timeout: 60_000 } },
}

// On a shared machine a broker may take a nap in the middle of a test. It is tried once more there, and the log says
// so. What a fault does to messages must hold at the first try.
const twice = { ...broker, retry: process.env.CI ? 1 : 0 }

// Whoever adds up several runs names a directory, and finds one file per broker version there.
const { WARREN_TEST_RESULTS: results, WARREN_BROKER_VERSION: version = 'at-hand' } = process.env
const resultsFile = (ending: string) => (results ? join(results, `${version}.${ending}`) : undefined)
const outputFile = resultsFile('json')

const config: ViteUserConfig = defineConfig({
  test: {
    reporters: [
      'default',
      new SecondTriesReporter(resultsFile('second-tries')),
      ...(outputFile ? [['json', { outputFile }] satisfies ['json', object]] : []),
    ],
    projects: [
      // Pure code has nothing to isolate, and a process for each file took longer than the tests in it.
      { test: { name: 'unit', include: ['src/**/*.test.ts'], testTimeout: 60_000, isolate: false } },
      { test: { name: 'fuzz', include: ['test/fuzz/**/*.test.ts'], testTimeout: 3_600_000 } },
      { test: { name: 'integration', include: ['test/integration/**/*.test.ts'], ...twice } },
      { test: { name: 'faults', include: ['test/faults/**/*.test.ts'], fileParallelism: false, ...broker } },
      { test: { name: 'conformance', include: ['test/conformance/**/*.test.ts'], ...twice } },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], ...twice } },
    ],
  },
})

export default config
