import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../../packages/cli/src/run-cli.ts'
import { declareQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { openManagement } from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import {
  previewRedrive,
  type RedrivePreview,
} from '../../../packages/warrenmq/src/recovery/redrive/preview-redrive.ts'
import { toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { unlimitedQuorum } from './recovery-rig.ts'

/** A broker inside this process with a queue of dead letters of two types, and the command line. */
async function setup({ count, policies = [] }: { count: number; policies?: readonly object[] }) {
  const broker = await startEmbeddedBroker({ profile: '4.0', definitions: { policies } })
  const session = await Session.open(broker.url)
  const folder = await mkdtemp(join(tmpdir(), 'warren-plan-'))
  onTestFinished(async () => {
    await session.close()
    await broker.stop()
    await rm(folder, { recursive: true })
  })
  const channel = await session.openChannel()
  const quorum = toFieldTable(unlimitedQuorum(session.broker.version))
  for (const queue of ['dlq', 'scans']) await declareQueue(channel, { queue, arguments: quorum })
  const publisher = new Publisher(session)
  for (let number = 0; number < count; number += 1)
    void publisher.publish({ key: 'dlq', body: '', headers: { MessageType: number % 2 ? 'Other' : 'Scan' } })
  await publisher.close()
  const command = async (...args: string[]): Promise<{ shown: string; plan: RedrivePreview }> => {
    const line = ['--url', broker.url, '--management-url', broker.managementUrl, '--dry-run', '--json']
    const streams = { ...createStreams(), env: {} }
    await runCli(['dlq', 'redrive', 'dlq', ...args, ...line], streams)
    return { shown: streams.shown(), plan: JSON.parse(streams.printed()) as RedrivePreview }
  }
  return { broker, session, folder, command }
}

function createStreams() {
  const [stdout, stderr] = [[] as string[], [] as string[]]
  const into = (texts: string[]) =>
    new Writable({
      write: (chunk, _encoding, done) => {
        texts.push(String(chunk))
        done()
      },
    })
  return {
    stdout: into(stdout),
    stderr: into(stderr),
    printed: () => stdout.join(''),
    shown: () => stderr.join(''),
  }
}

test('a message without an origin goes by the type map of the config, and the plan says so', async () => {
  const { folder, command } = await setup({ count: 4 })
  const config = join(folder, 'warren.config.json')
  const recovery = { queues: ['dlq'], types: { Scan: 'scans' } }
  await writeFile(config, JSON.stringify({ queues: {}, recovery }))

  const { shown, plan } = await command('--config', config)

  expect(plan).toMatchObject({ present: 4, moving: 2, isWhole: true })
  expect(plan.targets).toMatchObject([{ target: 'scans', count: 2, why: 'its type, MessageType Scan' }])
  expect(plan.keeping).toEqual([{ reason: 'origin-unknown', count: 2 }])
  expect(shown).toContain('2 to scans (route: its type, MessageType Scan')
})

test('a plan with a limit tells how many match', async () => {
  const { command } = await setup({ count: 20 })

  const { shown, plan } = await command('--to', 'scans', '--where', 'header.MessageType=Scan', '--limit', '3')

  expect(plan).toMatchObject({ present: 20, matching: 10, moving: 3 })
  expect(plan.keeping).toContainEqual({ reason: 'not-selected', count: 10 })
  expect(plan.keeping).toContainEqual({ reason: 'over-the-limit', count: 7 })
  expect(shown).toContain('3 of 20 messages would move out of dlq (10 match):')
})

test('a plan says where a message lands that fails again, if that is another queue', async () => {
  const { session, command } = await setup({ count: 2 })
  const channel = await session.openChannel()
  const toScans = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'scans' }
  await declareQueue(channel, { queue: 'spare', arguments: toFieldTable(toScans) })

  const { shown, plan } = await command('--to', 'spare')

  const secondFailure = '"spare" to "scans", where this re-drive does not look'
  expect(plan.targets).toMatchObject([{ target: 'spare', count: 2, secondFailure }])
  expect(shown).toContain(`a second failure: ${secondFailure}`)
})

test('a plan of what could not be looked at to the end says so', async () => {
  const short = { name: 'short', vhost: '/', pattern: '^dlq$', definition: { 'consumer-timeout': 0 } }
  const { broker, session, command } = await setup({ count: 5_000, policies: [{ ...short, priority: 1 }] })
  const management = openManagement(broker.managementUrl)
  onTestFinished(() => management.close())

  const plan = await previewRedrive({
    consuming: session,
    publishing: session,
    management,
    queue: 'dlq',
    by: 'test',
    to: { kind: 'queue', queue: 'scans' },
  })
  const { shown } = await command('--to', 'scans')

  expect(plan.isWhole).toBe(false)
  expect(plan.seen).toBeLessThan(plan.present)
  expect(shown).toContain('This is not everything: only')
})
