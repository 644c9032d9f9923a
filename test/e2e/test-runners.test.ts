import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installLibrary } from './install-library.ts'

/** A project of its own, in which the built library is installed. */
const project = `.cache/test-runners-${process.pid}`
const guide = readFileSync('docs/guides/test-runners.md', 'utf8')

beforeAll(() => {
  installLibrary(project)
  writeFileSync(join(project, 'package.json'), '{ "name": "user", "private": true }\n')
  write('vitest.config.mjs', "export default { test: { include: ['*.vitest.test.ts'] } }\n")
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

describe('the test of the guide passes as it stands', () => {
  it('in Jest', async () => {
    write('guide.jest.test.js', codeUnder('Jest'))

    const { passed, failed } = await runJest('guide.jest.test.js')

    expect({ passed, failed }).toEqual({ passed: 1, failed: 0 })
  })

  it('in node:test', async () => {
    write('guide.test.mjs', codeUnder('node:test'))

    const options = ['--test', '--test-reporter=tap', 'guide.test.mjs']
    const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: project })

    expect(stdout).toMatch(/^# pass 1\n# fail 0$/m)
  })

  it('in vitest', async () => {
    write('guide.vitest.test.ts', codeUnder('vitest'))

    const stdout = await run('vitest/vitest.mjs', ['run', '--reporter=json'])

    expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 1, numFailedTests: 0 })
  })

  it('in mocha', async () => {
    write('guide.mocha.test.js', codeUnder('mocha'))

    const stdout = await run('mocha/bin/mocha.js', [
      '--reporter=json',
      '--timeout=60000',
      'guide.mocha.test.js',
    ])

    expect(JSON.parse(stdout)).toMatchObject({ stats: { passes: 1, failures: 0 } })
  })
})

describe('time waits for a handler that goes on after its acknowledgement', () => {
  // `say` is what a runner calls a test.
  const codeWith = (say: string) => `const assert = require('node:assert/strict')
const { connect, defineTopology } = require('warrenmq')
const { startEmbeddedBroker } = require('warrenmq/testing')
const topology = defineTopology({ queues: { reminders: { retry: { delays: ['1h'] } } } })
let broker, warren
beforeEach(async () => {
  broker = await startEmbeddedBroker({ clock: 'virtual' })
  warren = await connect(broker.url, { topology, managementUrl: broker.managementUrl })
  await warren.apply()
})
afterEach(async () => {
  await warren.close()
  await broker.stop()
})
for (const waitMs of [0, 60, 300]) {
  ${say}('a reminder comes every hour, ' + waitMs + ' ms after the last', async () => {
    const startedAt = broker.clock.now()
    const publisher = warren.publisher()
    const hours = []
    await warren.consume('reminders', async () => {
      hours.push((broker.clock.now() - startedAt) / 3_600_000)
      setTimeout(() => publisher.publish({ key: 'reminders.retry.1h', body: {} }), waitMs)
    })
    await publisher.publish({ key: 'reminders', body: {} })
    await broker.clock.advance('3h')
    assert.deepEqual(hours, [0, 1, 2, 3])
  })
}
`

  it('in Jest', async () => {
    write('reminders.jest.test.js', codeWith('test'))

    const { passed, failed } = await runJest('reminders.jest.test.js')

    expect({ passed, failed }).toEqual({ passed: 3, failed: 0 })
  })

  it('in mocha', async () => {
    write('reminders.mocha.test.js', codeWith('it'))
    const options = ['--reporter=json', '--timeout=60000']

    const stdout = await run('mocha/bin/mocha.js', [...options, 'reminders.mocha.test.js'])

    expect(JSON.parse(stdout)).toMatchObject({ stats: { passes: 3, failures: 0 } })
  })
})

it('in Jest a failure of Node itself is told by its name and its text, although it is of another realm', async () => {
  write(
    'realm.jest.test.js',
    `const { readFile } = require('node:fs/promises')
const { connect, defineTopology, WarrenError } = require('warrenmq')
const { startEmbeddedBroker } = require('warrenmq/testing')

test('a dead letter names the error of a file that is not there', async () => {
  const broker = await startEmbeddedBroker({ clock: 'virtual' })
  const topology = defineTopology({ queues: { files: { retry: { delays: ['1s'], maxAttempts: 1 } } } })
  const warren = await connect(broker.url, { topology, managementUrl: broker.managementUrl })
  await warren.apply()
  await warren.consume('files', () => readFile('/not/there').then(() => undefined))
  await warren.publisher().publish({ key: 'files', body: { id: 1 } })
  await broker.settled()

  const [cause] = await warren.deadLetters('files').causes()
  expect(cause.label).toMatch(/^Error: ENOENT: no such file/)
  await expect(warren.publisher().publish({ key: 5 })).rejects.toThrow(WarrenError)
  await warren.close()
  await broker.stop()
  await expect(connect(broker.url)).rejects.toMatchObject({ code: 'CONNECTION_REFUSED' })
})
`,
  )

  const { passed, failed, messages } = await runJest('realm.jest.test.js')

  expect({ passed, failed, messages }).toEqual({ passed: 1, failed: 0, messages: '' })
})

it('once all is closed no timer keeps a program from its end', async () => {
  write(
    'end.mjs',
    `import { connect, defineTopology } from 'warrenmq'
import { startEmbeddedBroker } from 'warrenmq/testing'
const broker = await startEmbeddedBroker()
const topology = defineTopology({ queues: { orders: { retry: { delays: ['1s'] } } } })
const warren = await connect(broker.url, { topology, managementUrl: broker.managementUrl })
await warren.apply()
await warren.consume('orders', () => undefined)
await warren.publisher().publish({ key: 'orders', body: {} })
await warren.deadLetters('orders').peek()
await warren.close()
await broker.stop()
console.log(process.getActiveResourcesInfo().includes('Timeout'))
`,
  )

  const { stdout } = await promisify(execFile)(process.execPath, ['end.mjs'], { cwd: project })

  expect(stdout).toBe('false\n')
})

it('in Node require and import give the same package', async () => {
  write(
    'one-copy.mjs',
    `import { createRequire } from 'node:module'
import * as imported from 'warrenmq'
import * as testing from 'warrenmq/testing'
const require = createRequire(import.meta.url)
const same = [[require('warrenmq'), imported], [require('warrenmq/testing'), testing]]
console.log(same.every(([one, other]) => Object.keys(other).every((name) => one[name] === other[name])))
`,
  )

  const { stdout } = await promisify(execFile)(process.execPath, ['one-copy.mjs'], { cwd: project })

  expect(stdout).toBe('true\n')
})

function codeUnder(heading: string): string {
  const section = guide.split(/^## /m).find((part) => part.startsWith(`${heading}\n`))
  return /^```\w+\n([\s\S]*?)^```/m.exec(section!)![1]!
}

function write(name: string, text: string): void {
  writeFileSync(join(project, name), text)
}

async function runJest(file: string) {
  const stdout = await run('jest/bin/jest.js', ['--json', '--testTimeout=60000', file])
  const { numPassedTests: passed, numFailedTests: failed, testResults } = JSON.parse(stdout)
  const messages = testResults.map(({ message }: { message: string }) => message).join('\n')
  return { passed, failed, messages }
}

/** What the runner prints, also where a test of it fails. */
async function run(program: string, args: readonly string[]): Promise<string> {
  const command = [resolve('node_modules', program), ...args]
  const ran = promisify(execFile)(process.execPath, command, { cwd: project })
  const { stdout } = await ran.catch((error: { stdout: string }) => error)
  return stdout
}
