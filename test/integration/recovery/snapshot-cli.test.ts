import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { useBroker } from '../../support/use-broker.ts'
import { createCommandRig } from './command-rig.ts'
import { createRecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()

async function setup(name: string) {
  const rig = await createRecoveryRig(broker)
  const [work, dlq] = [`${name}.work`, `${name}.dlq`]
  await rig.declareWork(work, dlq)
  await rig.declare(dlq)
  await rig.fill(dlq, 30, (index) => ({
    type: index < 10 ? 'bad' : 'good',
    headers: { 'x-original-queue': work, 'x-final-error': index % 2 === 0 ? 'Timeout' : 'Refused' },
  }))
  const folder = mkdtempSync(join(tmpdir(), 'warren-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { ...rig, ...createCommandRig(broker), work, dlq, file: join(folder, 'orders.snapshot') }
}

/** Without how often a message was looked at. */
const json = ({ stdout }: { readonly stdout: string }) =>
  JSON.parse(stdout.replaceAll(/"x-(acquired|delivery)-count": ?\d+,?/g, '')) as Record<string, unknown>

test('causes, peek and a plan say of a snapshot what they said of the queue, when that is empty', async () => {
  const { dlq, pipe, file, drain, depth } = await setup('told')
  const commands = [
    ['causes', dlq, '--json'],
    ['causes', dlq, '--group-by', 'type', '--json'],
    ['peek', dlq, '--where', 'type:bad', '--count', '3', '--json'],
    ['redrive', dlq, '--where', 'type:good', '--dry-run', '--json'],
  ]
  const live = []
  for (const words of commands) live.push(json(await pipe(...words)))

  const made = await pipe('snapshot', dlq, '--out', file, '--json')
  await drain(dlq)

  expect(made, made.stderr).toMatchObject({ exitCode: 0 })
  expect(json(made)).toMatchObject({ queue: dlq, present: 30, seen: 30, messages: 30, file })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await depth(dlq)).toBe(0)
  for (const [at, words] of commands.entries()) {
    const told = await pipe(...words, '--snapshot', file)
    expect(told, told.stderr).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('As of ') })
    expect(json(told)).toEqual(live[at])
  }
})

test('a snapshot is only planned by, and only of its own queue', async () => {
  const { dlq, work, pipe, file, depth } = await setup('refused')
  await pipe('snapshot', dlq, '--out', file)

  const moving = await pipe('redrive', dlq, '--yes', '--snapshot', file)
  const foreign = await pipe('causes', work, '--snapshot', file)
  const again = await pipe('snapshot', dlq, '--out', file)

  expect(moving).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--dry-run') })
  expect(foreign).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`for the queue "${dlq}"`) })
  expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is there already') })
  expect(await depth(dlq)).toBe(30)
})

test('a file that is damaged, torn off or none at all is not read as a snapshot', async () => {
  const { dlq, pipe, file } = await setup('damaged')
  await pipe('snapshot', dlq, '--out', file)
  const bytes = readFileSync(file)
  const changed = Buffer.from(bytes)
  changed[Math.floor(bytes.length / 2)]! ^= 1

  for (const content of [changed, bytes.subarray(0, -40), Buffer.from('none')]) {
    writeFileSync(file, content)
    const told = await pipe('causes', dlq, '--snapshot', file)
    expect(told, told.stdout).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('orders.snapshot'),
    })
  }
})

test('a queue that is not there refuses a snapshot, and leaves no file', async () => {
  const { dlq, pipe, file } = await setup('absent')

  const refused = await pipe('snapshot', `${dlq}.nowhere`, '--out', file)

  expect(refused.exitCode).toBe(1)
  expect(existsSync(file)).toBe(false)
})
