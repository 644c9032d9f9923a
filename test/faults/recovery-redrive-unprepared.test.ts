import { expect, onTestFinished, test } from 'vitest'
import { WarrenError } from '../../packages/warrenmq/src/errors.ts'
import { lockName, takeLock } from '../../packages/warrenmq/src/recovery/lock/take-lock.ts'
import type { Receipt } from '../../packages/warrenmq/src/recovery/receipt/receipt.ts'
import { createEmbeddedRig } from '../integration/recovery/embedded-rig.ts'
import { eventually } from '../support/eventually.ts'
import { type BrokerProxy, startProxy } from '../support/start-proxy.ts'

/** A re-drive whose connection is lost at its n-th question about a queue. */
async function setup(nth: number) {
  let proxy: BrokerProxy | undefined
  const rig = await createEmbeddedRig({
    consumingUrl: async (url) => {
      proxy = await startProxy({ target: Number(new URL(url).port) })
      return proxy.urlFor(url)
    },
  })
  const { broker, publishing, redrive, depth } = rig
  onTestFinished(() => proxy!.close())
  const declare = { direction: 'to-broker', classId: 50, methodId: 10 } as const
  const cut = proxy!.cutAtFrame({ ...declare, nth }).then(() => proxy!.refuse())
  const ended = redrive({ waitMs: 400 }).receipt.catch((error: unknown) => error)
  await cut
  return { broker, publishing, ended, depth, comeBack: () => proxy!.accept() }
}

/** It has moved nothing, and says so in one way or the other. */
function expectNothingMoved(ended: unknown): void {
  if (ended instanceof WarrenError) expect(ended.code).toMatch(/^(CONNECTION_LOST|RECOVERY_[A-Z]+)$/)
  else
    expect(ended).toMatchObject({
      outcome: 'interrupted',
      moved: 0,
      stillThere: 6,
    } satisfies Partial<Receipt>)
}

// The first questions are about the lock, the next ones about the queue, the last ones come when it is counted.
const questions = [1, 2, 3, 4, 5, 6, 7, 8]

test.each(questions)('a broker that goes away for good at question %i of a run ends it', async (nth) => {
  const { ended, depth } = await setup(nth)

  expectNothingMoved(await ended)
  expect([depth('dlq'), depth('work')]).toEqual([6, 0])
})

test.each(questions)(
  'a queue that is somebody else’s after a connection was lost at question %i of a run ends it',
  async (nth) => {
    const { broker, publishing, ended, depth, comeBack } = await setup(nth)
    await eventually(() => expect(broker.inspect(lockName('dlq'))).toBeUndefined())
    const { vhost } = publishing
    const rival = await takeLock({ session: publishing, queue: 'dlq', holder: 'rival', vhost })
    await comeBack()

    expectNothingMoved(await ended)
    expect([depth('dlq'), depth('work'), rival.isHeld]).toEqual([6, 0, true])
    await rival.release()
  },
)
