import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { createTerminal } from '../../../packages/cli/src/output/terminal.ts'
import { runCli } from '../../../packages/cli/src/run-cli.ts'
import { steerRedrive } from '../../../packages/cli/src/steer-redrive.ts'
import type { Receipt } from '../../../packages/warrenmq/src/recovery/receipt/receipt.ts'
import { startRedrive } from '../../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import { eventually } from '../../support/eventually.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()
let number = 0

async function setup(count: number, url = broker.url) {
  const rig = await createRecoveryRig(broker)
  number += 1
  const [work, dlq] = [`commanded-${number}`, `commanded-dlq-${number}`]
  await rig.declareWork(work, dlq)
  await rig.declare(dlq)
  await rig.fill(dlq, count, () => ({ headers: { 'x-original-queue': work } }))
  const folder = await mkdtemp(join(tmpdir(), 'warren-redrive-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const streams = createStreams()
  const command = async (...args: string[]) => {
    const line = ['--url', url, '--management-url', broker.managementUrl, '--yes']
    return runCli(['dlq', 'redrive', dlq, ...args, ...line], streams)
  }
  return { ...rig, work, dlq, folder, streams, command }
}

function createStreams() {
  const shown = { text: '' }
  const stream = () =>
    new Writable({
      write: (chunk, _encoding, done) => {
        shown.text += chunk
        done()
      },
    })
  const printed = { text: '' }
  const stdout = new Writable({
    write: (chunk, _encoding, done) => {
      printed.text += chunk
      shown.text += chunk
      done()
    },
  })
  return { stdout, stderr: stream(), env: {}, shown, printed }
}

test('a canary on the command line is waited for, and the receipt is written to a file', async () => {
  const { dlq, work, folder, streams, command, depth } = await setup(30)
  const file = join(folder, 'receipt.json')

  const exitCode = await command('--canary', '3', '--canary-wait', '50ms', '--receipt', file)

  expect(exitCode).toBe(0)
  expect(JSON.parse(await readFile(file, 'utf8')) as Receipt).toMatchObject({ moved: 30, isBalanced: true })
  expect(streams.shown.text).toContain('30 = 30 moved + 0 failed + 0 kept + 0 still there')
  expect([await depth(dlq), await depth(work)]).toEqual([0, 30])
})

test('a broker that goes away is waited for, which the command says, and the rest follows', async () => {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const { dlq, work, streams, command, depth } = await setup(60, proxy.urlFor(broker.url))

  const ending = command('--rate', '20', '--window', '1', '--wait', '1m')
  await eventually(async () => expect(await depth(work)).toBeGreaterThan(5))
  proxy.refuse()
  proxy.cutAll()
  await eventually(() => expect(streams.shown.text).toMatch(/waiting for the broker for \d+ s/))
  await proxy.accept()

  expect(await ending).toBe(0)
  expect(streams.shown.text).toContain('60 = 60 moved + 0 failed + 0 kept + 0 still there')
  expect(await depth(dlq)).toBe(0)
  expect((await depth(work)) - 60).toBeLessThanOrEqual(1)
})

test('a receipt that cannot be written is told before anything moves', async () => {
  const { dlq, work, folder, streams, command, depth } = await setup(5)

  const exitCode = await command('--receipt', join(folder, 'missing', 'receipt.json'))

  expect(exitCode).toBe(1)
  expect(streams.shown.text).toContain('Nothing was moved: the receipt cannot be written')
  expect([await depth(dlq), await depth(work)]).toEqual([5, 0])
})

test('a receipt whose file is full when it is written is still printed', async () => {
  const { dlq, work, streams, command, depth } = await setup(5)

  const exitCode = await command('--receipt', '/dev/full', '--json')

  expect(exitCode).toBe(1)
  expect(JSON.parse(streams.printed.text) as Receipt).toMatchObject({ moved: 5, isBalanced: true })
  expect(streams.shown.text).toContain('The receipt could not be written: ENOSPC')
  expect([await depth(dlq), await depth(work)]).toEqual([0, 5])
})

test('a target that may not grow any more ends the command with 3 and a sentence', async () => {
  const { dlq, streams, command, depth } = await setup(30)

  const exitCode = await command('--stop-when-target-above', '10')

  expect(exitCode).toBe(3)
  expect(streams.shown.text).toContain('It stopped: a target holds as many messages as it may.')
  expect(await depth(dlq)).toBe(20)
})

test('an edit changes one message and no other', async () => {
  const { dlq, work, folder, command, depth, drain } = await setup(3)
  const file = join(folder, 'edit.json')
  await writeFile(file, JSON.stringify({ body: { amount: 12 }, headers: { tenant: 'blue' } }))

  const exitCode = await command('--where', 'id:m-1', '--edit', file)

  expect(exitCode).toBe(0)
  const [edited, ...others] = await drain(work)
  expect(others).toEqual([])
  expect(edited).toMatchObject({ body: '{"amount":12}', headers: { tenant: 'blue' } })
  expect(await depth(dlq)).toBe(2)
})

test('an edit that would bring a death history back is refused, and no message is taken', async () => {
  const { dlq, work, admin, folder, streams, command, depth } = await setup(1)
  const file = join(folder, 'edit.json')
  const death = { queue: work, reason: 'expired', count: 1, exchange: '', 'routing-keys': [work] }
  await writeFile(file, JSON.stringify({ headers: { 'x-death': [death] } }))

  const exitCode = await command('--edit', file)

  expect(exitCode).toBe(1)
  expect(streams.shown.text).toMatch(/Nothing was moved \(--edit\): .*The header "x-death" cannot be edited/)
  expect([await depth(dlq), await depth(work)]).toEqual([1, 0])
  expect((await admin.get(dlq))?.isRedelivered).toBe(false)
})

test.each([
  [['--stop-when-dead', 'many'], "'--stop-when-dead <n>' argument 'many' is invalid"],
  [['--attempts', 'twice'], "'--attempts <rule>' argument 'twice' is invalid"],
])('%j is refused with a sentence, and nothing moves', async (args, sentence) => {
  const { dlq, streams, command, depth } = await setup(2)

  expect(await command(...args)).toBe(2)

  expect(streams.shown.text).toContain(sentence)
  expect(await depth(dlq)).toBe(2)
})

test('signals pause a re-drive, resume it and end it with a receipt', async () => {
  const { work, dlq, consuming, publishing, management, depth, streams } = await setup(200)
  const run = startRedrive({ consuming, publishing, management, queue: dlq, by: 'test', ratePerSecond: 100 })
  const stopSteering = steerRedrive(run, createTerminal(streams, { isJson: false }))
  onTestFinished(stopSteering)

  process.emit('SIGUSR2')
  expect(run.progress.state).toBe('paused')
  process.emit('SIGUSR2')
  await expect.poll(() => depth(work)).toBeGreaterThan(0)
  process.emit('SIGTERM')

  const receipt = await run.receipt
  expect(receipt).toMatchObject({ outcome: 'cancelled', present: 200, isBalanced: true })
  expect(receipt.moved + receipt.stillThere).toBe(200)
  expect([await depth(work), await depth(dlq)]).toEqual([receipt.moved, receipt.stillThere])
})
