import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { expect, onTestFinished } from 'vitest'
import { runCli } from '../../packages/cli/src/run-cli.ts'
import { createRecoveryRig } from '../integration/recovery/recovery-rig.ts'
import { startProxy } from '../support/start-proxy.ts'
import { startRabbitNode } from '../support/start-rabbit-node.ts'
import { testWithNode } from '../support/with-node.ts'

/** Forty dead letters, and the command that recovers them by a config that declares no queue. */
async function setup({ total }: { total: string }) {
  const node = await startRabbitNode()
  onTestFinished(() => node.destroy())
  const proxy = await startProxy({ target: node.amqpPort })
  onTestFinished(() => proxy.close())
  const rig = await createRecoveryRig({ ...node, url: node.amqpUrl })
  for (const queue of ['dlq', 'my scans', 'your scans']) await rig.declare(queue)
  await rig.fill('dlq', 40, (index) => ({ headers: { MessageType: index < 30 ? 'Mine' : 'Yours' } }))
  const folder = mkdtempSync(join(tmpdir(), 'warren-recover-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const config = join(folder, 'warren.config.json')
  const types = { Mine: 'my scans', Yours: 'your scans' }
  const timeouts = { total, stall: '5s', empty: '200ms', idle: '200ms' }
  writeFileSync(config, JSON.stringify({ recovery: { queues: ['dlq'], types, timeouts } }))
  const management = Object.assign(new URL(node.managementUrl), node).href
  const env = { AMQP_URL: proxy.urlFor(node.amqpUrl), MANAGEMENT_URL: management }
  const recover = async (heard?: (text: string) => void) => {
    const [stdout, stderr] = [new TextSink(heard), new TextSink()]
    const exitCode = await runCli(['recover', '--config', config], { stdout, stderr, env })
    return { exitCode, stdout: stdout.text, stderr: stderr.text }
  }
  return { ...rig, node, proxy, recover }
}

class TextSink extends Writable {
  text = ''
  readonly #heard: (text: string) => void

  constructor(heard: (text: string) => void = () => {}) {
    super()
    this.#heard = heard
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    this.#heard(this.text)
    done()
  }
}

testWithNode(
  'a recovery ends with its time under an alarm, and then names every queue by its whole name',
  async () => {
    const { node, recover, depth } = await setup({ total: '2s' })
    await node.rabbitmqctl('set_vm_memory_high_watermark', '0.00001')
    const alarmed = await recover()
    await node.rabbitmqctl('set_vm_memory_high_watermark', '0.6')
    expect([1, 3]).toContain(alarmed.exitCode)
    expect(alarmed.stdout).toContain('Waiting for the broker')

    const { exitCode, stdout } = await recover()

    expect(stdout).toMatch(/ my scans: \d+\n +your scans: \d+/)
    expect(exitCode).toBe(0)
    expect(await depth('dlq')).toBe(0)
  },
  90_000,
)

testWithNode(
  'a recovery waits for a broker that refuses connections',
  async () => {
    const { proxy, recover, depth } = await setup({ total: '60s' })
    proxy.refuse()
    let accepting: Promise<void> | undefined

    const { exitCode } = await recover((text) => {
      if (text.includes('Waiting for the')) accepting ??= proxy.accept()
    })

    expect(exitCode).toBe(0)
    expect(accepting).toBeDefined()
    expect(await depth('dlq')).toBe(0)
  },
  90_000,
)
