import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../../packages/cli/src/run-cli.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig, type RecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()
let number = 0

/** The command line in this process, with what it wrote. */
async function setup(args?: Parameters<RecoveryRig['declare']>[1]) {
  const rig = await createRecoveryRig(broker)
  number += 1
  const dlq = `dlq-${number}`
  await rig.declare(dlq, args)
  const folder = mkdtempSync(join(tmpdir(), 'warren-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const management = Object.assign(new URL(broker.managementUrl), broker).href
  const env = { AMQP_URL: broker.url, MANAGEMENT_URL: management, WARREN_OPERATOR: 'ada' }
  const warren = async (...words: string[]) => {
    const [stdout, stderr] = [new TextSink(), new TextSink()]
    const exitCode = await runCli(words, { stdout, stderr, env })
    return { exitCode, stdout: stdout.text, stderr: stderr.text }
  }
  return { ...rig, dlq, warren, path: (name: string) => join(folder, name) }
}

class TextSink extends Writable {
  text = ''
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

test('a queue is backed up, checked without a broker, discarded and restored from the command line', async () => {
  const { dlq, fill, warren, path, depth } = await setup()
  await fill(dlq, 30, (index) => ({ type: index < 10 ? 'bad' : 'good' }))
  const [all, bad] = [path('all.backup'), path('bad.backup')]

  const backup = await warren('dlq', 'backup', dlq, '--out', all, '--json')
  expect(backup.exitCode).toBe(0)
  expect(JSON.parse(backup.stdout)).toMatchObject({ queue: dlq, present: 30, records: 30 })
  const verified = await warren('dlq', 'backup', '--verify', all)
  expect(verified).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('30 messages') })

  const words = ['dlq', 'discard', dlq, '--where', 'type:bad', '--out', bad]
  expect(await warren(...words)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--yes') })
  expect(await depth(dlq)).toBe(30)
  expect(await warren(...words, '--yes')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('10 messages removed'),
  })
  expect(await depth(dlq)).toBe(20)

  const restored = await warren('dlq', 'restore', all, '--json')
  expect(JSON.parse(restored.stdout)).toMatchObject({ restored: 10, alreadyThere: 20, failed: 0 })
  // What the discard removed comes back by its own file, whatever another one has put there.
  expect(await warren('dlq', 'restore', bad)).toMatchObject({ stdout: expect.stringContaining('10 of 10') })
  expect(await warren('dlq', 'restore', bad)).toMatchObject({ stdout: expect.stringContaining('0 of 10') })
  expect(await depth(dlq)).toBe(40)
})

test('bad usage of a backup is reported, and so is a file that is no backup', async () => {
  const { dlq, warren, path } = await setup()

  expect((await warren('dlq', 'backup', dlq)).exitCode).toBe(2)
  expect((await warren('dlq', 'backup', dlq, '--out', path('a'), '--verify', path('a'))).exitCode).toBe(2)
  expect((await warren('dlq', 'discard', dlq)).exitCode).toBe(2)
  expect(await warren('dlq', 'backup', '--verify', path('missing'))).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('cannot be read'),
  })
})

test('a queue with a delivery limit is refused with the way out, and taken when that was accepted', async () => {
  const { dlq, fill, warren } = await setup({ 'x-queue-type': 'quorum', 'x-delivery-limit': 9 })
  await fill(dlq, 3)

  const refused = await warren('dlq', 'causes', dlq)
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('rabbitmqctl set_policy') })
  const accepted = await warren('dlq', 'causes', dlq, '--accept-delivery-limit', '--json')
  expect(JSON.parse(accepted.stdout)).toMatchObject({ seen: 3, causes: [{ id: 'unknown', count: 3 }] })
})

test('the list names the queue, what is in it and why', async () => {
  const { dlq, fill, warren, declare } = await setup()
  await declare(`${dlq}-work`, {
    'x-queue-type': 'quorum',
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': dlq,
  })
  await fill(dlq, 4, () => ({ headers: { 'warren-error-type': 'TimeoutError' } }))

  const { exitCode, stdout } = await warren('dlq', 'list')

  expect(exitCode).toBe(0)
  expect(stdout).toMatch(
    new RegExp(`4  ${dlq}[^\\n]*\\n +from ${dlq}-work \\(0 consumers\\)\\n +100 % TimeoutError`),
  )
  expect((await warren('dlq', 'list', '--quick')).stdout).not.toContain('TimeoutError')
})
