import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

/** Counts the results of runs, each a list of files with the seconds they took. */
async function countTests(runs: Readonly<Record<string, Readonly<Record<string, number>>>>) {
  const folder = mkdtempSync(join(tmpdir(), 'warren-count-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, files] of Object.entries(runs))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(resultsOf(files)))
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/count-tests.mjs', folder])
  return stdout.trim().split('\n')
}

/** As vitest's JSON reporter writes it: one test that passed in each file. */
function resultsOf(files: Readonly<Record<string, number>>) {
  return {
    numPassedTests: Object.keys(files).length,
    ...{ numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 },
    testResults: Object.entries(files).map(([name, seconds]) => ({
      ...{ name: resolve(name), status: 'passed', assertionResults: [] },
      startTime: 1_000_000,
      endTime: 1_000_000 + seconds * 1000,
    })),
  }
}

test('each run tells its slowest files, the slowest first, and the last line counts all of them', async () => {
  const lines = await countTests({
    '4.0': { 'test/quick.test.ts': 0.2, 'test/slow.test.ts': 102.5 },
    'at-hand': { 'test/quick.test.ts': 3 },
  })

  expect(lines).toEqual([
    '=== slowest files of 4.0',
    '  102.5 s  test/slow.test.ts',
    '    0.2 s  test/quick.test.ts',
    '',
    '=== slowest files of at-hand',
    '    3.0 s  test/quick.test.ts',
    '',
    '3 passed, 0 failed',
  ])
})

test('fifteen files of a run are told, and all are counted', async () => {
  const files = Array.from({ length: 20 }, (_, at) => [`test/${at}.test.ts`, at])

  const lines = await countTests({ 'at-hand': Object.fromEntries(files) })

  expect(lines.filter((line) => line.endsWith('.test.ts'))).toHaveLength(15)
  expect(lines.at(-1)).toBe('20 passed, 0 failed')
})
