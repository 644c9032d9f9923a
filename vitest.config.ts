import { defineConfig } from 'vitest/config'

// One project per kind of test. `npm test` runs all but the long fuzz; each can be named with --project.
const broker = { globalSetup: ['test/support/global-setup.ts'], testTimeout: 60_000, hookTimeout: 120_000 }

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'] } },
      { test: { name: 'integration', include: ['test/integration/**/*.test.ts'], ...broker } },
      { test: { name: 'faults', include: ['test/faults/**/*.test.ts'], fileParallelism: false, ...broker } },
      { test: { name: 'conformance', include: ['test/conformance/**/*.test.ts'], ...broker } },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], ...broker } },
    ],
  },
})
