import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../../../packages/cli/src/run-cli.ts'
import { goodbyeMs } from '../../../packages/warrenmq/src/broker/amqp/bound-goodbye.ts'
import { outlast } from '../../support/outlast.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { createEmbeddedRig } from './embedded-rig.ts'

/** Six dead letters, and a connection to them that can fall silent. */
async function setup() {
  const { broker } = await createEmbeddedRig({ headers: { MessageType: 'OrderPlaced' } })
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const folder = mkdtempSync(join(tmpdir(), 'warren-silence-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const config = join(folder, 'warren.config.json')
  const url = proxy.urlFor(broker.url)
  /** `warren recover`, which tells what it says as it says it. */
  const recover = async (timeouts: Record<string, string>, heard: (text: string) => void = () => {}) => {
    const recovery = { queues: ['dlq'], types: { OrderPlaced: 'work' }, prefetch: 1, timeouts }
    writeFileSync(config, JSON.stringify({ recovery }))
    const stdout = new Writable({ write: (chunk, _, done) => done(heard(String(chunk)) as undefined) })
    const env = { AMQP_URL: url, MANAGEMENT_URL: broker.managementUrl }
    return runCli(['recover', '--config', config], { stdout, stderr: stdout, env })
  }
  return { proxy, recover }
}

test.each(['stall', 'total'])(
  'the command ends with its %s, and does not wait for a goodbye of a broker that says nothing',
  async (name) => {
    const { proxy, recover } = await setup()
    const told = new AbortController()

    const recovering = recover({ [name]: '500ms' }, (text) => {
      if (text.includes('Started DLQ consumer')) proxy.swallow('both')
      if (text.includes('DLQ not counted')) told.abort()
    })
    await once(told.signal, 'abort')

    expect(await outlast(recovering, goodbyeMs - 500)).toBe(1)
  },
)

/** What a connection is given by itself, where nobody has less time. */
const connectMs = 10_000

test('the command waits no longer than its total time for a broker that takes the connection and says nothing', async () => {
  const { proxy, recover } = await setup()
  proxy.ignoreNew()

  expect(await outlast(recover({ total: '500ms' }), connectMs - 500)).toBe(1)
})
