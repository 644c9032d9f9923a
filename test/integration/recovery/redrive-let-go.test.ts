import { expect, test } from 'vitest'
import { deleteQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { lockName } from '../../../packages/warrenmq/src/recovery/lock/take-lock.ts'
import { startRedrive } from '../../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createEmbeddedRig } from './embedded-rig.ts'
import { createRecoveryRig } from './recovery-rig.ts'

const broker = await useBroker()

test('a target that is deleted while its depth is watched gets no more, and the run ends', async () => {
  const rig = await createRecoveryRig(broker)
  await rig.declare('watched')
  await rig.declare('dlq')
  await rig.fill('dlq', 6, () => ({ headers: { 'x-original-queue': 'watched' } }))
  let isMoving: () => void = () => {}
  const begun = new Promise<void>((resolve) => {
    isMoving = resolve
  })

  const run = startRedrive({
    ...rig,
    queue: 'dlq',
    by: 'test',
    window: { messages: 1 },
    stopWhenTargetAbove: 3,
    onProgress: ({ moved }) => {
      if (moved !== 2) return
      run.pause()
      isMoving()
    },
  })
  await begun
  await deleteQueue(rig.admin, 'watched')
  run.resume()

  expect(await run.receipt).toMatchObject({
    outcome: 'done',
    present: 6,
    moved: 2,
    failed: 4,
    isBalanced: true,
    failures: [{ kind: 'unroutable', count: 4 }],
  })
  expect(await rig.depth('dlq')).toBe(4)
})

test('a run that is ended before it had its lock does not take the lock when the broker is back', async () => {
  const { broker: ours, consuming, depth, redrive } = await createEmbeddedRig()
  ours.faults.refuseConnections()
  await consuming.connection?.close()
  await eventually(() => expect(consuming.connection).toBeUndefined())

  const run = redrive()
  run.cancel()
  await expect(run.receipt).rejects.toMatchObject({ code: 'RECOVERY_INTERRUPTED' })
  ours.faults.acceptConnections()
  // Whoever waited for the connection is served before these, and has had the time to take the lock.
  for (let round = 0; round < 20; round += 1) await (await consuming.openChannel()).close()

  await eventually(() => expect(ours.inspect(lockName('dlq'))).toBeUndefined())
  expect(depth('dlq')).toBe(6)
})
