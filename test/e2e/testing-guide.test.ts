import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { installLibrary } from './install-library.ts'

/** A project of its own, in which the built library is installed. */
const workplace = `.cache/testing-guide-${process.pid}`
const guide = readFileSync('docs/guides/test-a-retry-ladder.md', 'utf8')

// The block for node:test is a program, which docs.test.ts runs; a file for vitest needs its runner.
it('the tests for vitest in the guide pass as they stand', async () => {
  const [, code] = /^```typescript\n([\s\S]*?)^```/m.exec(guide)!
  installLibrary(workplace)
  onTestFinished(() => rmSync(workplace, { recursive: true, force: true }))
  writeFileSync(join(workplace, 'retry-ladder.test.ts'), code!)
  writeFileSync(join(workplace, 'vitest.config.mjs'), "export default { test: { include: ['*.test.ts'] } }\n")

  const { stdout } = await promisify(execFile)(process.execPath, [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--root',
    workplace,
    '--reporter=json',
  ])

  const { numPassedTests, numFailedTests } = JSON.parse(stdout) as Record<string, number>
  expect({ numPassedTests, numFailedTests }).toEqual({ numPassedTests: 2, numFailedTests: 0 })
})
