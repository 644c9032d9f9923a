import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import {
  type DiscardReport,
  discardMessages,
} from '../../packages/warrenmq/src/recovery/backup/discard-messages.ts'
import { restoreBackup } from '../../packages/warrenmq/src/recovery/backup/restore-backup.ts'
import { createRecoveryRig, type RecoveryRig } from '../integration/recovery/recovery-rig.ts'
import { createVhostOn } from '../support/create-vhost-on.ts'
import { endNode } from '../support/end-node.ts'
import { eventually } from '../support/eventually.ts'
import { namePerTry } from '../support/name-per-try.ts'
import { startProxy } from '../support/start-proxy.ts'
import { type RabbitNode, startRabbitNode } from '../support/start-rabbit-node.ts'
import { describeWithNode, testWithNode } from '../support/with-node.ts'

const count = 900
const ack = { direction: 'to-broker', classId: 60, methodId: 80 } as const
/** Some stay: a classic queue that is emptied deletes its files at once from 4.0 on, and the acks with them. */
const isWanted = (_: unknown, index: number): boolean => index % 3 !== 0

/** After a crash a queue answers before all its vhost does. */
const patient = { timeoutMs: 50_000, intervalMs: 200 }

describeWithNode('a node that is killed -9', () => {
  let node: RabbitNode
  beforeAll(async () => {
    node = await startRabbitNode()
  })
  afterAll(() => node.destroy())

  async function setup(type: 'classic' | 'quorum') {
    const { url } = await createVhostOn(node, 'crash')
    const proxy = await startProxy({ target: node.amqpPort })
    onTestFinished(() => proxy.close())
    const open = (): Promise<RecoveryRig> =>
      createRecoveryRig({ ...node, url, consumingUrl: proxy.urlFor(url) })
    const rig = await open()
    const dlq = namePerTry(`removed-${type}`)
    await rig.declare(dlq, type === 'classic' ? { 'x-queue-type': type } : undefined)
    await rig.fill(dlq, count)
    const folder = mkdtempSync(join(tmpdir(), 'warren-crash-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'discarded.backup')
    const discard = (by: RecoveryRig): Promise<DiscardReport> => {
      let index = -1
      const select = (message: unknown): boolean => {
        index += 1
        return isWanted(message, index)
      }
      return discardMessages({ ...by, queue: dlq, by: 'test', file, select })
    }
    const restore = (by: RecoveryRig) => restoreBackup({ ...by, queue: dlq, by: 'test', file })
    return { rig, open, proxy, dlq, discard, restore }
  }

  testWithNode.each(['classic', 'quorum'] as const)(
    'right after a discard from a %s queue has no more copies after its restore than that says',
    async (type) => {
      const { rig, open, dlq, discard, restore } = await setup(type)
      await node.syncRegistrations()
      const discarded = await discard(rig)
      const start = await endNode(node, 'kill9')
      await start()

      const after = await eventually(open, patient)
      const report = await eventually(() => restore(after), patient)

      const bodies = (await after.drain(dlq)).map(({ body }) => body)
      expect(discarded).toMatchObject({ removed: 600, mayComeBack: type === 'classic' ? 600 : 0 })
      expect(report).toMatchObject({ restored: 600, failed: 0 })
      expect(new Set(bodies).size).toBe(count)
      // The look is exact where no two messages are alike.
      expect(report.duplicatesPossible).toBe(bodies.length - count)
      if (type === 'quorum') expect(bodies.length).toBe(count)
    },
  )

  testWithNode(
    'in the middle of a discard that goes on later has no more copies after its restore than that says',
    async () => {
      const { rig, open, proxy, dlq, discard, restore } = await setup('classic')
      // An ack has a frame of its own where not all go, and 250 make a step: it is cut in the second.
      const cut = proxy.cutAtFrame({ ...ack, nth: 400, where: 'before' })
      const failed = discard(rig).catch((error: Error) => error)
      await cut
      const start = await endNode(node, 'kill9')
      expect(await failed).toBeInstanceOf(Error)
      await start()
      const after = await eventually(open, patient)
      expect(await eventually(() => discard(after), patient)).toMatchObject({ isDone: true })

      const report = await eventually(() => restore(after), patient)

      const bodies = (await after.drain(dlq)).map(({ body }) => body)
      expect(report.failed).toBe(0)
      expect(new Set(bodies).size).toBe(count)
      expect(bodies.length - count).toBeLessThanOrEqual(report.duplicatesPossible)
    },
  )
})
