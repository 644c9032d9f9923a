import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { inspectQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import type { Receipt } from '../../../packages/warrenmq/src/recovery/receipt/receipt.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createCommandRig } from './command-rig.ts'
import { createRecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()

/** Dead letters of one queue, and the command line in this process. */
async function setup(count: number, headers: Record<string, string> = {}) {
  const rig = await createRecoveryRig(broker)
  const [work, dlq] = [namePerTry('work'), namePerTry('dlq')]
  await rig.declareWork(work, dlq)
  await rig.declare(dlq)
  await rig.fill(dlq, count, () => ({ headers: { 'x-original-queue': work, ...headers } }))
  const folder = await mkdtemp(join(tmpdir(), 'warren-commands-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = (name: string) => join(folder, name)
  const depths = async () => [await rig.depth(dlq), await rig.depth(work)]
  return { ...rig, work, dlq, path, depths, ...createCommandRig(broker) }
}

test('a message cannot steer the terminal that shows it', async () => {
  const { dlq, fill, pipe } = await setup(0)
  const evil = '\u001b]0;done\u0007\u001b[2J\u009b8m🐛[2J'
  await fill(dlq, 1, () => ({
    messageId: `id\n0 shown${evil}`,
    body: `first${evil}\n1 shown of 1`,
    headers: { 'warren-error-type': `Timeout${evil}` },
  }))

  const shown = [await pipe('peek', dlq), await pipe('causes', dlq), await pipe('peek', dlq, '--json')]

  for (const { exitCode, stdout, stderr } of shown) {
    expect(exitCode).toBe(0)
    expect(stdout + stderr).not.toMatch(/(?!\n)\p{Cc}/u)
  }
  const [peek, causes, json] = shown.map(({ stdout }) => stdout)
  expect(peek).toContain('\n  first\\u001b]0;done\\u0007\\u001b[2J\\u009b8m🐛[2J\n  1 shown of 1\n')
  expect(peek).toMatch(/^id\\n0 shown\\u001b/)
  expect(peek).toContain('\n  warren-error-type: Timeout\\u001b')
  expect(causes).toContain('Timeout\\u001b')
  expect(JSON.parse(json!)).toMatchObject({ messages: [{ body: { text: `first${evil}\n1 shown of 1` } }] })
})

test('peek shows the headers of a message above its body, and what died how', async () => {
  const { dlq, work, declare, fill, admin, pipe } = await setup(0)
  const dying = `${work}.dying`
  const next = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': dlq }
  await declare(dying, { ...next, 'x-message-ttl': 1 })
  await fill(dying, 1, () => ({ headers: { tenant: 'acme', size: 3 } }))
  await expect.poll(async () => (await inspectQueue(admin, dlq)).messageCount).toBe(1)

  const { stdout } = await pipe('peek', dlq)

  expect(stdout).toContain('\n  tenant: acme\n')
  expect(stdout).toContain('\n  size: 3\n')
  expect(stdout).toContain(`\n  x-death: expired in ${dying}\n`)
  expect(stdout).toContain(`\n\n  0\n1 shown of 1 in ${dlq}.\n`)
})

test('every command that looks takes the name of who does it', async () => {
  const { dlq, pipe, path } = await setup(2)
  await pipe('redrive', dlq, '--yes', '--limit', '1', '--receipt', path('receipt.json'))
  const by = ['--by', 'ann']

  const ended = [
    await pipe('peek', dlq, ...by),
    await pipe('causes', dlq, ...by),
    await pipe('verify', path('receipt.json'), ...by),
    await pipe('backup', dlq, '--out', path('all.backup'), ...by),
  ]

  expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0])
})

test('a re-drive that nobody can answer for is refused before a message is taken', async () => {
  const { dlq, pipe, admin, depths } = await setup(3)

  const refused = await pipe('redrive', dlq, '--json')

  expect(refused.exitCode).toBe(1)
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'INVALID_ARGUMENT' } })
  expect(refused.stderr).toContain('Nothing was moved: there is no terminal to ask in. Use --yes')
  expect(await depths()).toEqual([3, 0])
  expect((await admin.get(dlq))?.isRedelivered).toBe(false)
})

test('a discard that nobody can answer for is refused with a document', async () => {
  const { dlq, pipe, path, depths } = await setup(3)

  const refused = await pipe('discard', dlq, '--out', path('d.backup'), '--json')

  expect(refused.exitCode).toBe(1)
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { message: expect.stringContaining('--yes') } })
  expect(await depths()).toEqual([3, 0])
})

test('a question that is answered with no is one document, too', async () => {
  const { dlq, person, path, depths } = await setup(3)

  const redrive = await person('n', 'redrive', dlq, '--json')
  const discard = await person('n', 'discard', dlq, '--out', path('d.backup'), '--json')

  expect([redrive.exitCode, discard.exitCode]).toEqual([0, 0])
  expect(redrive.stderr).toContain('Move 3 messages? [y/N]')
  expect(JSON.parse(redrive.stdout)).toMatchObject({ queue: dlq, outcome: 'declined', plan: { moving: 3 } })
  expect(JSON.parse(discard.stdout)).toEqual({ queue: dlq, outcome: 'declined', present: 3 })
  expect(await depths()).toEqual([3, 0])
})

test('a backup without a file is bad usage, in a document', async () => {
  const { dlq, pipe } = await setup(0)

  const { exitCode, stdout, stderr } = await pipe('backup', dlq, '--json')

  expect(exitCode).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'BAD_USAGE' } })
  expect(stderr).toContain('and a file with --out')
})

test('a yes moves them', async () => {
  const { dlq, person, depths } = await setup(3)

  const { exitCode, stdout } = await person('y', 'redrive', dlq)

  expect(exitCode).toBe(0)
  expect(stdout).toContain('3 = 3 moved + 0 failed + 0 kept + 0 still there')
  expect(await depths()).toEqual([0, 3])
})

test('nobody is asked whether to move nothing', async () => {
  const { dlq, person, depths } = await setup(3)

  const none = await person('y', 'redrive', dlq, '--where', 'id:nobody')
  const lost = await person('y', 'redrive', dlq, '--to', 'retry', '--json')

  // What a filter leaves out was not asked for, so nothing was left undone.
  expect(none).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('There is nothing to move.') })
  expect(none.stdout).toContain('3 would stay: not selected')
  expect(none.stderr).not.toContain('Move 0')
  expect(lost.exitCode).toBe(3)
  expect(JSON.parse(lost.stdout)).toMatchObject({
    outcome: 'nothing-to-move',
    plan: { keeping: [{ reason: 'no-wait-queue', count: 3 }] },
  })
  expect(await depths()).toEqual([3, 0])
})

test('a filter whose messages are all moved ends with 0, and stands in the receipt', async () => {
  const { dlq, pipe, depths } = await setup(3)

  const { exitCode, stdout, stderr } = await pipe('redrive', dlq, '--where', 'id:m-1', '--yes', '--json')

  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ moved: 1, kept: 2, where: 'id:m-1' })
  expect(stderr).toContain('selected: id:m-1')
  expect(await depths()).toEqual([2, 1])
})

test('an edit that several messages would fit is refused, and one that fits one message is made', async () => {
  const { dlq, work, path, pipe, depths, drain } = await setup(3)
  await writeFile(path('edit.json'), '{ "body": "new" }')

  const several = await pipe('redrive', dlq, '--edit', path('edit.json'), '--yes')
  const one = await pipe('redrive', dlq, '--edit', path('edit.json'), '--where', 'id:m-1', '--yes')

  expect(several.exitCode).toBe(1)
  expect(several.stderr).toContain('Nothing was moved: 3 messages match, and an edit is for one.')
  expect(one.exitCode).toBe(0)
  expect(one.stdout).toContain('Edited on its way: m-1')
  expect(await depths()).toEqual([2, 1])
  expect((await drain(work)).map(({ body }) => body)).toEqual(['new'])
})

test('a second receipt does not take the place of the first', async () => {
  const { dlq, pipe, path, depths } = await setup(3)
  const words = ['redrive', dlq, '--limit', '1', '--receipt', path('receipt.json'), '--yes']
  const first = await pipe(...words)

  const second = await pipe(...words)

  expect([first.exitCode, second.exitCode]).toEqual([0, 1])
  expect(second.stderr).toContain('receipt.json is not empty')
  expect(JSON.parse(await readFile(path('receipt.json'), 'utf8')) as Receipt).toMatchObject({ present: 3 })
  expect(await depths()).toEqual([2, 1])
})

test('a file without a word in it, as mktemp makes one, takes a receipt', async () => {
  const { dlq, pipe, path } = await setup(1)
  await writeFile(path('receipt.json'), '')

  expect((await pipe('redrive', dlq, '--receipt', path('receipt.json'), '--yes')).exitCode).toBe(0)

  expect(JSON.parse(await readFile(path('receipt.json'), 'utf8')) as Receipt).toMatchObject({ moved: 1 })
})

test('the plan of an edit names the message, and a file that is not there is told', async () => {
  const { dlq, pipe, path, depths } = await setup(3)
  await writeFile(path('edit.json'), '{ "body": "new" }')
  const plan = ['redrive', dlq, '--where', 'id:m-1', '--dry-run', '--edit']

  const found = await pipe(...plan, path('edit.json'))
  const missing = await pipe(...plan, path('typo.json'))

  expect(found).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Edited on its way: m-1\n') })
  expect(missing.exitCode).toBe(1)
  expect(missing.stderr).toMatch(
    /^warren: Nothing was moved \(--edit\): .*typo\.json cannot be read: ENOENT[^\n]*\n$/,
  )
  expect(await depths()).toEqual([3, 0])
})

test('a discard asks about what would go', async () => {
  const { dlq, person, path, depths } = await setup(5)
  const ask = async (...words: string[]) =>
    (await person('n', 'discard', dlq, '--out', path('d.backup'), ...words)).stderr

  expect(await ask()).toContain('Remove all 5 messages in')
  expect(await ask('--limit', '2')).toContain('Remove the first 2 of the 5 messages in')
  expect(await ask('--where', 'id:m-1')).toContain('Remove those that match among 5 messages in')
  expect(await ask('--where', 'id:m-*', '--limit', '2')).toContain(
    'Remove at most 2 of those that match among',
  )
  expect(await depths()).toEqual([5, 0])
})

test('causes tell how many, since when, until when, and one of them', async () => {
  const { dlq, fill, pipe } = await setup(0)
  const failedAt = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z']
  await fill(dlq, 2, (index) => ({
    headers: { 'warren-error-type': 'TimeoutError', 'warren-last-failed-at': failedAt[index]! },
  }))

  const { stdout } = await pipe('causes', dlq)

  expect(stdout).toMatch(/^ +2 {2}\w+ {2}TimeoutError[^\n]*$/m)
  expect(stdout).toMatch(/^ +first 2026-01-01T00:00:00\.000Z, last 2026-01-02T00:00:00\.000Z, such as m-0$/m)
})

test('what could not be looked at to the end is told, and ends with 3', async () => {
  const { dlq, fill, pipe, path, depth } = await setup(0)
  const count = 5_000
  await fill(dlq, count)
  const short = ['--hold', '1ms']

  const peek = await pipe('peek', dlq, '--where', 'id:nobody', ...short)
  const causes = await pipe('causes', dlq, ...short)
  const where = ['--where', 'id:m-0 or id:nobody', '--out', path('d.backup')]
  const discard = await pipe('discard', dlq, ...where, '--yes', ...short)

  for (const { exitCode, stdout } of [peek, causes, discard]) {
    expect(exitCode).toBe(3)
    expect(stdout).toMatch(/^Ended early: messages could not be held any longer/m)
  }
  expect(peek.stdout).toContain(`0 shown of ${count}`)
  expect(await depth(dlq)).toBeGreaterThanOrEqual(count - 1)
})

test('long work on a terminal shows how far it is', async () => {
  const { dlq, person, path } = await setup(3)

  const shown = [
    await person('', 'causes', dlq),
    await person('', 'peek', dlq, '--where', 'id:m-1'),
    await person('', 'backup', dlq, '--out', path('all.backup')),
    await person('', 'discard', dlq, '--out', path('d.backup'), '--yes'),
    await person('', 'restore', path('all.backup')),
  ]

  for (const { stdout } of shown) expect(stdout).toContain('] 1 of 3')
})

test('a canary that is waited for is told', async () => {
  const { dlq, pipe } = await setup(1)

  const { exitCode, stdout } = await pipe('redrive', dlq, '--canary', '1', '--canary-wait', '2s', '--yes')

  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^1 moved; watching for messages that die again, up to \d s more$/m)
})

test('a receipt is verified from the command line', async () => {
  const { dlq, work, pipe, path, admin, drain } = await setup(4)
  const file = path('receipt.json')
  await pipe('redrive', dlq, '--limit', '3', '--receipt', file, '--yes')

  const plain = await pipe('verify', file)
  const whole = await pipe('verify', file, '--targets', '--json')
  const receipt = JSON.parse(await readFile(file, 'utf8')) as Receipt
  await writeFile(path('forged.json'), JSON.stringify({ ...receipt, moved: 4 }))
  const forged = await pipe('verify', path('forged.json'))
  await drain(work)
  ;(await admin.get(dlq))?.ack()
  const handled = await pipe('verify', file, '--targets')
  const none = await pipe('verify', path('missing.json'))

  expect(plain.exitCode).toBe(0)
  expect(plain.stdout).toMatch(/^holds {4}sums {5}4 = 3 moved \+ 0 failed \+ 0 kept \+ 1 still there$/m)
  expect(plain.stdout).toMatch(/^unknown {2}moved {4}3 were moved; of these 0 in /m)
  expect(whole.exitCode).toBe(0)
  expect(JSON.parse(whole.stdout)).toMatchObject({ id: receipt.id, queue: dlq, verdict: 'holds' })
  expect(whole.stderr).toMatch(/^holds {4}digest {3}they are exactly the messages that were moved/m)
  expect(forged.exitCode).toBe(1)
  expect(forged.stdout).toMatch(/^broken {3}sums /m)
  expect(handled.exitCode).toBe(3)
  expect(handled.stdout).toContain('Nothing contradicts the receipt, but not everything could be checked.')
  expect(none).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('missing.json') })
})

test('a receipt whose queue may not be looked at says why, and ends with 3', async () => {
  const { work, declare, fill, pipe, path, dlq } = await setup(0)
  const limited = `${dlq}-limited`
  await declare(limited, { 'x-queue-type': 'quorum', 'x-delivery-limit': 9 })
  await fill(limited, 2, () => ({ headers: { 'x-original-queue': work } }))
  const file = path('receipt.json')
  await pipe('redrive', limited, '--trust-headers', '--accept-delivery-limit', '--receipt', file, '--yes')

  const { exitCode, stdout } = await pipe('verify', file)

  expect(exitCode).toBe(3)
  expect(stdout).toMatch(/not looked at in .*-limited \(The queue ".*" was left alone\./)
})
