import { expect, onTestFinished, test } from 'vitest'
import { type Lock, takeLock } from '../../packages/warrenmq/src/recovery/lock/take-lock.ts'
import { RedriveLock } from '../../packages/warrenmq/src/recovery/redrive/redrive-lock.ts'
import { createEmbeddedRig } from '../integration/recovery/embedded-rig.ts'
import { eventually } from '../support/eventually.ts'

/** The lock of a re-drive whose broker has gone away, and who would have it next. */
async function setup() {
  const { broker, consuming, publishing, task } = await createEmbeddedRig()
  const patience = new AbortController()
  const lock = new RedriveLock({ id: 'first', options: task, patience: patience.signal })
  await lock.take()
  onTestFinished(() => lock.release())
  const takeAsRival = async (): Promise<Lock> => {
    const { vhost } = publishing
    const rival = await takeLock({ session: publishing, queue: 'dlq', holder: 'rival', vhost })
    onTestFinished(() => rival.release())
    return rival
  }
  await expect(takeAsRival()).rejects.toMatchObject({ code: 'RECOVERY_LOCKED' })
  await broker.faults.crash()
  await eventually(() => expect(consuming.connection).toBeUndefined())
  return { lock, patience, consuming, takeAsRival, comeBack: () => broker.faults.restart() }
}

test('a broker that is away is waited for, and the lock taken again on the next connection', async () => {
  const { lock, takeAsRival, comeBack } = await setup()

  const retaking = lock.retake()
  await comeBack()

  expect(await retaking).toBe('held')
  expect([lock.isHeld, lock.hasLostNode]).toEqual([true, false])
  await expect(takeAsRival()).rejects.toMatchObject({ code: 'RECOVERY_LOCKED' })
})

test.each(['while it waits', 'before it does'] as const)(
  'a broker that stays away until the patience is over, %s, leaves no lock behind when it is back',
  async (when) => {
    const { lock, patience, takeAsRival, comeBack } = await setup()

    if (when === 'before it does') patience.abort()
    const retaking = lock.retake()
    patience.abort()

    expect(await retaking).toBe('away')
    await lock.release()
    await comeBack()
    const rival = await takeAsRival()
    expect([lock.isHeld, rival.isHeld]).toEqual([false, true])
  },
)

test('a lock that somebody else has taken meanwhile is waited for, and had when it is free', async () => {
  const { lock, takeAsRival, comeBack } = await setup()
  await comeBack()
  const rival = await takeAsRival()

  const retaking = lock.retake()
  await expect(lock.take()).rejects.toMatchObject({ code: 'RECOVERY_LOCKED' })
  await rival.release()

  expect(await retaking).toBe('held')
  expect(lock.isHeld).toBe(true)
})

test('a lock that somebody else keeps is theirs once the patience is over', async () => {
  const { lock, patience, consuming, takeAsRival, comeBack } = await setup()
  await comeBack()
  const rival = await takeAsRival()
  await consuming.whenConnected()

  const retaking = lock.retake()
  patience.abort()

  expect(await retaking).toBe('locked')
  expect([lock.isHeld, rival.isHeld]).toEqual([false, true])
})
