import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../../packages/cli/src/run-cli.ts'
import { bindQueue, declareExchange } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { recoverQueues } from '../../../packages/warrenmq/src/recovery/recover/recover-queues.ts'
import { defineTopology } from '../../../packages/warrenmq/src/topology/define-topology.ts'
import { connect } from '../../../packages/warrenmq/src/warren.ts'
import { eventually } from '../../support/eventually.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig, type RigOptions } from './recovery-rig.ts'

const broker = await useBroker()
const timeouts = { idleMs: 50, emptyMs: 50 }
let number = 0

/** A dead-letter queue of the recovery service, with one type that is known. */
async function setup(options: RigOptions = broker) {
  const rig = await createRecoveryRig(options)
  number += 1
  const [dlq, exchange, scans] = [`imageviewer.dlq-${number}`, `imageviewer-${number}`, `scan-${number}`]
  await rig.declare(dlq)
  await rig.declare(scans)
  await declareExchange(rig.admin, { exchange, type: 'direct' })
  await bindQueue(rig.admin, { queue: scans, exchange, routingKey: 'collection.scan' })
  const types = { routes: { CollectionScan: { exchange, key: 'collection.scan' } } }
  const lines: string[] = []
  const task = { ...rig, queues: [dlq], types, timeouts, window: { messages: 50 } }
  const recover = ({ afterThousand = () => {} } = {}) => {
    const log = (line: string): void => {
      lines.push(line)
      if (line === '📦 Recovered 1000 messages so far...') afterThousand()
    }
    return recoverQueues({ ...task, log })
  }
  return { ...rig, dlq, exchange, scans, recover, lines }
}

const known = () => ({ headers: { MessageType: 'CollectionScan' } })

test('scenario 1: a worker that crashes during recovery loses nothing, and its next start recovers the rest', async () => {
  const { dlq, exchange, scans, fill, recover, drain, depth } = await setup()
  await fill(dlq, 3_000, known)
  const script = new URL('./recover-process.ts', import.meta.url).pathname
  const task = JSON.stringify({ url: broker.url, queue: dlq, exchange })
  const worker = spawn(process.execPath, ['--import', 'jiti/register', script, task])
  let logged = ''
  worker.stdout.on('data', (text) => {
    logged += text
    if (logged.includes('Recovered 1000 messages')) worker.kill('SIGKILL')
  })
  await once(worker, 'exit')

  const [recovery] = await eventually(() => recover(), { what: 'the lock of the dead worker to be free' })

  expect(logged).toContain('⚠️  Found 3000 messages in DLQ. Starting recovery...')
  expect(logged).not.toContain('SUMMARY')
  expect(recovery).toMatchObject({ failed: 0, skipped: 0, left: 0 })
  expect(await depth(dlq)).toBe(0)
  const found = (await drain(scans)).map(({ properties }) => properties.messageId)
  expect(new Set(found).size).toBe(3_000)
  expect(found.length).toBeLessThanOrEqual(3_000 + 50)
})

test('scenario 2: a network failure during publish keeps the messages, and they are recovered when it is back', async () => {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const { dlq, scans, fill, recover, drain, depth, publishing } = await setup({
    ...broker,
    publishingUrl: proxy.urlFor(broker.url),
  })
  await fill(dlq, 2_500, known)
  let cuts = 0
  publishing.events.on('disconnected', () => {
    cuts += 1
  })

  const [recovery] = await recover({ afterThousand: () => proxy.cutAll() })

  expect(cuts).toBe(1)
  expect(recovery).toMatchObject({ recovered: 2_500, failed: 0, skipped: 0, left: 0 })
  expect(await depth(dlq)).toBe(0)
  const found = (await drain(scans)).map(({ properties }) => properties.messageId)
  expect(new Set(found).size).toBe(2_500)
  expect(found.length).toBeLessThanOrEqual(2_500 + 50)
})

test('scenario 3: messages of an unknown type are kept for review, and the others do not wait for them', async () => {
  const { dlq, scans, fill, recover, lines, drain, depth } = await setup()
  await fill(dlq, 60, (index) => (index % 3 === 0 ? { headers: { MessageType: 'Mystery' } } : known()))

  const [recovery] = await recover()

  expect(recovery).toMatchObject({ recovered: 40, failed: 0, skipped: 20, left: 20 })
  expect(await depth(scans)).toBe(40)
  expect((await drain(dlq)).every(({ headers }) => headers.MessageType === 'Mystery')).toBe(true)
  const warning = '⚠️  MessageType=Mystery has no route. Keeping in DLQ for manual review.'
  expect(lines.filter((line) => line === warning)).toHaveLength(20)
})

test.each(['3.10', '4.0', '4.3'] as const)(
  'scenario 4: RabbitMQ %s restarts in the middle of a recovery, and it goes on where it was',
  async (profile) => {
    const embedded = await startEmbeddedBroker({ profile })
    onTestFinished(() => embedded.stop())
    const options = { url: embedded.url, managementUrl: embedded.managementUrl }
    const { dlq, scans, fill, recover } = await setup({
      ...options,
      username: 'guest',
      password: 'guest',
    })
    await fill(dlq, 2_500, known)
    const restart = async (): Promise<'restarted'> => {
      await embedded.faults.crash()
      await embedded.faults.restart()
      return 'restarted'
    }
    let restarting: Promise<string> | undefined

    const [recovery] = await recover({
      afterThousand: () => {
        restarting = restart()
      },
    })

    expect(await restarting).toBe('restarted')
    expect(recovery).toMatchObject({ recovered: 2_500, failed: 0, skipped: 0, left: 0 })
    expect(embedded.inspect(dlq)?.counts.ready).toBe(0)
    const arrived = embedded.inspect(scans)?.counts.ready ?? 0
    expect(arrived).toBeGreaterThanOrEqual(2_500)
    expect(arrived).toBeLessThanOrEqual(2_500 + 50)
  },
)

test('scenario 5: a recovery that is run twice recovers nothing twice', async () => {
  const { dlq, scans, fill, recover, depth } = await setup()
  await fill(dlq, 100, known)

  const [first] = await recover()
  const [second] = await recover()

  expect([first?.recovered, second?.recovered]).toEqual([100, 0])
  expect(await depth(scans)).toBe(100)
})

test('an application recovers at its start with one call, by the recovery section of its topology', async () => {
  const { dlq, exchange, scans, fill, depth } = await setup()
  await fill(dlq, 10, known)
  const topology = defineTopology({
    queues: {},
    recovery: {
      queues: [dlq],
      exchange,
      types: { CollectionScan: 'collection.scan' },
      timeouts: { idle: 50, empty: 50 },
    },
  })
  const access = new URL(broker.managementUrl)
  const managementUrl = `${access.protocol}//${broker.username}:${broker.password}@${access.host}`
  const warren = await connect(broker.url, { topology, managementUrl })
  onTestFinished(() => warren.close())
  const lines: string[] = []

  const [recovery] = await warren.recover({ log: (line) => void lines.push(line) })

  expect(recovery).toMatchObject({ queue: dlq, recovered: 10, left: 0 })
  expect(lines[0]).toBe('🔄 Starting DLQ Recovery Service...')
  expect(await depth(scans)).toBe(10)
})

/** What a person sees who runs the command. */
async function runRecover(config: string, { isTTY }: { isTTY: boolean }) {
  let text = ''
  const stream = () =>
    Object.assign(
      new Writable({
        write: (chunk, _encoding, done) => {
          text += chunk
          done()
        },
      }),
      { isTTY, columns: 100 },
    )
  const args = ['recover', '--url', broker.url, '--management-url', broker.managementUrl, '--config', config]
  const exitCode = await runCli(args, { stdout: stream(), stderr: stream(), env: {} })
  return { exitCode, text }
}

async function writeConfig(queues: readonly string[], exchange: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'warren-recover-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const config = join(folder, 'warren.config.json')
  const types = { CollectionScan: 'collection.scan' }
  const recovery = { queues, exchange, types, timeouts: { idle: 50, empty: 50 } }
  await writeFile(config, JSON.stringify({ queues: {}, recovery }))
  return config
}

test('the command ends with 1 when one queue cannot be recovered, and recovers the others', async () => {
  const { dlq, exchange, scans, fill, depth } = await setup()
  await fill(dlq, 10, known)

  const { exitCode, text } = await runRecover(await writeConfig(['missing', dlq], exchange), { isTTY: false })

  expect(exitCode).toBe(1)
  expect(text).toContain('❌ Recovery of missing ended early: There is no queue "missing".')
  expect(text).toContain('✅ Total Recovered: 10 messages')
  expect([await depth(dlq), await depth(scans)]).toEqual([0, 10])
})

test.each([true, false])(
  'the command ends with 3 when messages are kept, and draws a bar only on a terminal (%s)',
  async (isTTY) => {
    const { dlq, exchange, fill } = await setup()
    await fill(dlq, 1_500, (index) => (index < 10 ? {} : known()))
    const config = await writeConfig([dlq], exchange)

    const { exitCode, text } = await runRecover(config, { isTTY })

    expect(exitCode).toBe(3)
    expect(text).toContain('✅ Total Recovered: 1490 messages')
    expect(text).toContain('⚠️  10 messages still in DLQ (will retry on next startup)')
    expect(text.includes('📦 Recovered 1000 messages so far...')).toBe(!isTTY)
    expect(/\[[#-]{24}\] \d+ of 1500 {2}\d+\/s/.test(text)).toBe(isTTY)
  },
)
