import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DemoReport } from '../../packages/cli/src/demo/tell-story.ts'
import { eventually } from '../support/eventually.ts'
import type { TestVhost } from '../support/use-broker.ts'
import { setupCli } from './cli-rig.ts'
import { useVhost } from './use-vhost.ts'

const main = 'packages/cli/dist/main.js'

const sumOf = (counts: readonly { readonly messages: number }[]): number =>
  counts.reduce((sum, { messages }) => sum + messages, 0)

/** What must be true of the story wherever it is told; every number is the demo's own count. */
function expectStory({ storm, parked, receipts, end, equation, addsUp, topology }: DemoReport): void {
  expect(topology).toMatchObject({ isProved: true, queues: 18, steps: 28 })
  expect([storm.published, storm.confirmed]).toEqual([1_000, 1_000])
  for (const sum of [storm.sum, end]) {
    expect(sum.delivered + sumOf(sum.held)).toBe(1_000)
    expect(sum.duplicates).toBe(0)
    expect(sum.held.map(({ role }) => role)).not.toContain('wait')
    expect(sum.held.map(({ role }) => role)).not.toContain('work')
  }
  // Each delay has orders that needed it: those that wait there and do not come through wait at the next one, too.
  expect(storm.ladder).toHaveLength(4)
  for (const { waited, cameThrough } of storm.ladder) {
    expect(cameThrough).toBeGreaterThan(0)
    expect(waited).toBeGreaterThan(cameThrough)
  }

  const causes = parked.flatMap((each) => each.causes)
  const countOf = (pattern: RegExp): number => causes.find(({ label }) => pattern.test(label))?.count ?? 0
  expect(causes).toHaveLength(3)
  expect(causes.reduce((sum, { count }) => sum + count, 0)).toBe(sumOf(storm.sum.held))
  const broken = countOf(/is not JSON/)
  const mended = [countOf(/^TimeoutError/), countOf(/503/)]

  expect(
    receipts.map(({ outcome, moved, isBalanced, cameBack }) => ({ outcome, moved, isBalanced, cameBack })),
  ).toEqual(mended.map((moved) => ({ outcome: 'done', moved, isBalanced: true, cameBack: 0 })))
  expect(end.delivered - storm.sum.delivered).toBe(mended[0]! + mended[1]!)
  expect(sumOf(end.held)).toBe(broken)
  expect(broken).toBeGreaterThan(0)
  expect(equation).toBe(`1,000 = ${end.delivered} delivered + ${broken} in ${end.held[0]?.queue}`)
  expect(addsUp).toBe(true)
}

describe('warren demo on the embedded broker', () => {
  it('ends by itself with one JSON document whose numbers add up, and a clean log beside it', async () => {
    const { exitCode, stdout, stderr } = await setupCli().warren('demo --json')

    const report = JSON.parse(stdout) as DemoReport
    expect(exitCode).toBe(0)
    expectStory(report)
    expect(report.broker.isEmbedded).toBe(true)
    expect(report.storm.brokerMs).toBe(5_000 + 30_000 + 300_000 + 1_800_000)
    expect(stderr).toContain(`\n  ${report.equation}\n`)
    expect(stderr).not.toContain('Warning')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(stderr).not.toMatch(/[\u001b\r]/)
  })

  it.runIf(existsSync('/usr/bin/script'))('has colours and a bar that moves on a terminal', async () => {
    const args = ['-qec', `${process.execPath} ${main} demo`, '/dev/null']
    const env = { PATH: process.env.PATH ?? '', TERM: 'xterm' }

    // It rejects where the exit code, which `script` passes on, is another than 0.
    const running = promisify(execFile)('script', args, { env })
    onTestFinished(() => void running.child.kill('SIGKILL'))
    const { stdout } = await running

    expect(stdout).toContain('\u001b[1m1. Three services')
    const bars = stdout.match(/\r[^\r]*\[#*-*\] \d+ of \d+/g) ?? []
    expect(new Set(bars).size).toBeGreaterThan(1)
    expect(stdout).toMatch(/1,000 = \d+ delivered/)
  })
})

describe('warren demo on a real broker', () => {
  it('tells the same story in real time, and leaves nothing behind', async () => {
    const broker = await useVhost()
    const { exitCode, stdout } = await setupCli(undefined, broker).warren('demo --json --yes')

    const report = JSON.parse(stdout) as DemoReport
    expect(exitCode).toBe(0)
    expectStory(report)
    expect(report.broker).toEqual({ product: 'RabbitMQ', version: broker.version, isEmbedded: false })
    await expectNothingLeft(broker)
  })

  it('takes away what it made when it is interrupted', async () => {
    const broker = await useVhost()
    const demo = spawn(process.execPath, [main, 'demo', '--yes'], {
      env: { PATH: process.env.PATH ?? '', AMQP_URL: broker.url },
    })
    onTestFinished(() => void demo.kill('SIGKILL'))
    let said = ''
    demo.stdout.on('data', (text: Buffer) => {
      said += text.toString()
    })
    const ended = once(demo, 'exit')
    await eventually(() => expect(said).toContain('confirmed by the broker'))
    demo.kill('SIGINT')

    expect((await ended)[0]).toBe(1)
    expect(said).toContain('Interrupted')
    await expectNothingLeft(broker)
  })
})

async function expectNothingLeft(broker: TestVhost): Promise<void> {
  expect(await broker.management('GET', `/api/queues/${broker.vhost}`)).toEqual([])
  const exchanges = (await broker.management('GET', `/api/exchanges/${broker.vhost}`)) as { name: string }[]
  expect(exchanges.filter(({ name }) => name !== '' && !name.startsWith('amq.'))).toEqual([])
}
