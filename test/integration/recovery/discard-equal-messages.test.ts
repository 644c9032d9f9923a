import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { discardMessages } from '../../../packages/warrenmq/src/recovery/backup/discard-messages.ts'
import { verifyBackup } from '../../../packages/warrenmq/src/recovery/backup/verify-backup.ts'
import { eventually } from '../../support/eventually.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()

test.each(['classic', 'quorum'])(
  'a discard from a %s queue leaves the message that is equal to the one it removed, although another message arrived',
  async (type) => {
    const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
    onTestFinished(() => proxy.close())
    const rig = await createRecoveryRig({ ...broker, consumingUrl: proxy.urlFor(broker.url) })
    const folder = mkdtempSync(join(tmpdir(), 'warren-discard-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const [dlq, file] = [`discard-equal-${type}`, join(folder, 'equal.backup')]
    await rig.declare(dlq, type === 'classic' ? { 'x-queue-type': type } : undefined)
    await rig.fill(dlq, 2, () => ({ body: 'equal', messageId: 'equal', timestamp: new Date(0) }))
    let arrival: Promise<void> | undefined

    const discarding = discardMessages({
      ...rig,
      queue: dlq,
      by: 'test',
      file,
      limit: 1,
      select: () => {
        proxy.delay(60_000) // no ack gets through before the other message is there
        arrival ??= rig.fill(dlq, 1, () => ({ messageId: 'foreign' }))
        return true
      },
    })
    await eventually(() => expect(arrival).toBeDefined())
    await arrival
    proxy.resume()

    expect(await discarding).toMatchObject({ present: 2, removed: 1, left: 2, isDone: true })
    expect(await verifyBackup(file)).toMatchObject({ records: 1 })
    const left = (await rig.drain(dlq)).map(({ properties }) => properties.messageId)
    expect(left.toSorted()).toEqual(['equal', 'foreign'])
  },
)
