import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { murmurHash } from '../../packages/warrenmq/src/message/murmur-hash.ts'
import { takeLock } from '../../packages/warrenmq/src/recovery/lock/take-lock.ts'
import { createRecoveryRig } from '../integration/recovery/recovery-rig.ts'
import { eventually } from '../support/eventually.ts'
import { type BrokerProxy, startProxy } from '../support/start-proxy.ts'
import { useBroker } from '../support/use-broker.ts'

const broker = await useBroker()
const window = 100
const mostPerRound = 900
/** The long variant kills a hundred times. */
const kills = Number(process.env.WARREN_REDRIVE_KILLS ?? 8)

const confirmOrAck = { classId: 60, methodId: 80 }
const cancel = { direction: 'to-broker', classId: 60, methodId: 30 } as const
const channelClose = { direction: 'to-broker', classId: 20, methodId: 40 } as const
const queueDeclare = { direction: 'to-broker', classId: 50, methodId: 10 } as const
const silence = { kind: 'swallow', direction: 'both' } as const
const nothing = { kind: 'delay', delayMs: 0 } as const

interface Line {
  readonly consuming: BrokerProxy
  readonly publishing: BrokerProxy
  /** The process has moved as many as it was to tell. */
  readonly told: Promise<unknown>
}

interface KillPoint {
  readonly when: string
  /** How many it is to move in all, and at how many it tells. */
  readonly limit?: number
  readonly tellAt?: number
  /** Resolves when the process is there. Called before it starts. */
  reach(line: Line): Promise<unknown>
}

/** From the first publish to the last question, each where the process holds something else in its hands. */
const points: readonly KillPoint[] = [
  {
    when: 'before its first confirm',
    reach: ({ publishing }) => publishing.atFrame({ direction: 'to-client', ...confirmOrAck }, silence),
  },
  { when: 'in the middle', reach: ({ told }) => told },
  {
    when: 'when all is confirmed and no ack has arrived',
    limit: window,
    tellAt: window,
    reach: async ({ consuming, told }) => {
      await consuming.atFrame(
        { direction: 'to-broker', ...confirmOrAck },
        { ...silence, direction: 'to-broker' },
      )
      await told
    },
  },
  {
    when: 'while it counts',
    reach: async ({ consuming }) => {
      // The last consumer ends, the channel of the pass is closed, and the next question is one of the count.
      await consuming.atFrame(cancel, nothing)
      await consuming.atFrame(channelClose, nothing)
      await consuming.atFrame(queueDeclare, silence)
    },
  },
]

test('a re-drive that is killed -9 from its first publish to its count loses nothing, repeats no more than its window each time, and leaves no lock', {
  timeout: 60_000 + kills * 40_000,
}, async () => {
  const rig = await createRecoveryRig(broker)
  const count = kills * 1_000
  await rig.declare('work')
  await rig.declare('dlq')
  await rig.fill('dlq', count, () => ({ headers: { 'x-original-queue': 'work' } }))
  const { consuming: session } = rig

  for (let round = 0; round < kills; round += 1) {
    await startAndKill(points[round % points.length]!, round)
    await eventually(async () => {
      const lock = await takeLock({ session, queue: 'dlq', holder: 'test', vhost: session.vhost })
      await lock.release()
    })
  }
  const receipt = await rig.redrive({ queue: 'dlq' })

  expect(receipt).toMatchObject({ failed: 0, kept: 0, stillThere: 0, missing: 0, isBalanced: true })
  expect(await rig.depth('dlq')).toBe(0)
  const found = (await rig.drain('work')).map(({ properties }) => properties.messageId)
  expect(new Set(found).size).toBe(count)
  // The broker hands out no more than the window, and only what it has handed out can be repeated.
  expect(found.length - count).toBeLessThanOrEqual(kills * window)
})

/** The rounds differ, and are the same in each run. */
async function startAndKill(point: KillPoint, round: number): Promise<void> {
  const target = Number(new URL(broker.url).port)
  const [consuming, publishing] = [await startProxy({ target }), await startProxy({ target })]
  onTestFinished(() => {
    consuming.close()
    publishing.close()
  })
  const { limit = mostPerRound } = point
  // In the first half: near the end it may be done before it is killed.
  const { tellAt = 1 + (murmurHash(Buffer.from([round]), 0) % (limit / 2)) } = point
  const urls = { consumingUrl: consuming.urlFor(broker.url), publishingUrl: publishing.urlFor(broker.url) }
  const child = startChild({ ...urls, queue: 'dlq', window, limit, tellAt })
  const reached = point.reach({ consuming, publishing, told: once(child.stdout!, 'data') })
  const end = await Promise.race([reached.then(() => point.when), once(child, 'exit').then(() => 'too late')])
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  expect(end).toBe(point.when)
  // A proxy that swallows would hide from the broker that its client is gone.
  consuming.close()
  publishing.close()
}

function startChild(task: Readonly<Record<string, unknown>>): ChildProcess {
  const script = new URL('../integration/recovery/redrive-process.ts', import.meta.url).pathname
  return spawn(process.execPath, ['--import', 'jiti/register', script, JSON.stringify(task)])
}
