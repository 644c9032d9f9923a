import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

interface Results {
  /** The file that failed, by its path from the root. */
  readonly failed: string
  readonly message?: string
}

/** The results of a whole CI run, in which one file of `npm test` failed. */
function setup({ failed, message = 'TimeoutError: too late' }: Results) {
  const folder = mkdtempSync(join(tmpdir(), 'warren-alone-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const assertionResults = [{ status: 'failed', fullName: 'is quick', failureMessages: [message] }]
  const results = {
    numPassedTests: 4,
    numFailedTests: 1,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [{ name: resolve(failed), status: 'failed', assertionResults }],
  }
  write('without-broker.json', JSON.stringify(results))
  write('without-broker.status', '1')
  write('at-hand.status', '0')
  write('4.0.status', '0')
  const run = async () => {
    const environment = { ...process.env, CI: '', VITEST: '' }
    const script = ['scripts/try-failed-alone.mjs', folder]
    return promisify(execFile)(process.execPath, script, { env: environment }).then(
      () => 'passed',
      () => 'failed',
    )
  }
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  return { write, run, read }
}

const sound = 'packages/warrenmq/src/clock.test.ts'

test('a file that passes alone is counted as it came out, and told as a second try', async () => {
  const { run, read } = setup({ failed: sound })

  expect(await run()).toBe('passed')

  const { numPassedTests, numFailedTests } = JSON.parse(read('without-broker.json'))
  expect(numFailedTests).toBe(0)
  expect(numPassedTests).toBeGreaterThan(4)
  expect(read('without-broker.second-tries')).toBe(`${sound} (alone) > is quick: TimeoutError: too late\n`)
})

test('a file that fails alone, too, has failed', async () => {
  const { run, read } = setup({ failed: 'packages/warrenmq/src/is-not-there.test.ts' })

  expect(await run()).toBe('failed')
  expect(JSON.parse(read('without-broker.json')).numFailedTests).toBe(1)
})

test('what a fault did to messages is not tried again', async () => {
  const message = 'AssertionError: expected 499 to be 500'
  const { run } = setup({ failed: 'test/faults/redrive-exploration.test.ts', message })

  expect(await run()).toBe('failed')
})

test('nothing is tried again where something failed outside of any test', async () => {
  const { run, write } = setup({ failed: sound })
  write('4.0.stray-errors', 'Channel closed\n')

  expect(await run()).toBe('failed')
})

test('a run that broke off, or that never began, stays a failure', async () => {
  const broken = setup({ failed: sound })
  broken.write('4.0.status', '1')
  const { run, write } = setup({ failed: sound })
  write('at-hand.status', '')

  expect(await broken.run()).toBe('failed')
  expect(await run()).toBe('failed')
})
