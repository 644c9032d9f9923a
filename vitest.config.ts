import { join } from 'node:path'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

// One project per kind of test; each can be named with --project. `npm test` runs all but the long fuzz.
// The projects with a broker share one: the global setup starts it with the first of them.
const broker = { globalSetup: ['test/support/global-setup.ts'], testTimeout: 60_000, hookTimeout: 120_000 }

// Whoever adds up several runs names a directory, and finds one file per broker version there.
const { WARREN_TEST_RESULTS: results, WARREN_BROKER_VERSION: version = 'at-hand' } = process.env
const outputFile = results ? join(results, `${version}.json`) : undefined

const config: ViteUserConfig = defineConfig({
  test: {
    reporters: outputFile ? ['default', ['json', { outputFile }]] : ['default'],
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'] } },
      { test: { name: 'fuzz', include: ['test/fuzz/**/*.test.ts'], testTimeout: 3_600_000 } },
      { test: { name: 'integration', include: ['test/integration/**/*.test.ts'], ...broker } },
      { test: { name: 'faults', include: ['test/faults/**/*.test.ts'], fileParallelism: false, ...broker } },
      { test: { name: 'conformance', include: ['test/conformance/**/*.test.ts'], ...broker } },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], ...broker } },
    ],
  },
})

export default config
