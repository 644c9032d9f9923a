import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

/** Has a script read the results of runs, each a list of files with the seconds they took. */
function setup(runs: Readonly<Record<string, Readonly<Record<string, number>>>>) {
  const folder = mkdtempSync(join(tmpdir(), 'warren-count-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  for (const [name, files] of Object.entries(runs)) write(`${name}.json`, JSON.stringify(resultsOf(files)))
  const read = async (script: 'count-tests' | 'tell-slowest-files') => {
    const { stdout } = await promisify(execFile)(process.execPath, [`scripts/${script}.mjs`, folder])
    return stdout.trim().split('\n')
  }
  return { write, read }
}

/** As vitest's JSON reporter writes it: one test that passed in each file. */
function resultsOf(files: Readonly<Record<string, number>>) {
  return {
    numPassedTests: Object.keys(files).length,
    numFailedTests: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: Object.entries(files).map(([name, seconds]) => ({
      name: resolve(name),
      status: 'passed',
      assertionResults: [],
      startTime: 1_000_000,
      endTime: 1_000_000 + seconds * 1000,
    })),
  }
}

test('each run tells its slowest files, the slowest first', async () => {
  const { read } = setup({
    '4.0': { 'test/quick.test.ts': 0.2, 'test/slow.test.ts': 102.5 },
    'at-hand': { 'test/quick.test.ts': 3 },
  })

  expect(await read('tell-slowest-files')).toEqual([
    '=== slowest files of 4.0',
    '  102.5 s  test/slow.test.ts',
    '    0.2 s  test/quick.test.ts',
    '',
    '=== slowest files of at-hand',
    '    3.0 s  test/quick.test.ts',
  ])
})

test('fifteen files of a run are told, and all are counted', async () => {
  const files = Array.from({ length: 20 }, (_, at) => [`test/${at}.test.ts`, at])
  const { read } = setup({ 'at-hand': Object.fromEntries(files) })

  const told = await read('tell-slowest-files')

  expect(told.filter((line) => line.endsWith('.test.ts'))).toHaveLength(15)
  expect(await read('count-tests')).toEqual(['20 passed, 0 failed'])
})

test('what failed outside of any test, and what passed at its second try, is told by its run', async () => {
  const { write, read } = setup({ '4.0': { 'test/quick.test.ts': 1 } })
  write('4.0.stray-errors', 'Channel closed\n')
  write('4.0.second-tries', 'test/quick.test.ts > is quick: waited\n')

  expect(await read('count-tests')).toEqual([
    '✗ 4.0: outside of any test: Channel closed',
    'passed at the second try on 4.0: test/quick.test.ts > is quick: waited',
    '1 passed, 0 failed',
  ])
})
