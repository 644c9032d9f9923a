import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig, type RecoveryRig, unlimitedQuorum } from './recovery-rig.ts'

const broker = await useBroker()
const count = 2_000

/** Several at once keep the broker so busy that it has many acks to write when the channels close. */
test.each([1, 2])(
  'what filtered re-drives have moved is out of their queues when they are done, in round %i',
  async () => {
    const rig = await createRecoveryRig(broker)
    const rigs = await Promise.all([1, 2, 3, 4].map(() => createRecoveryRig(broker)))

    const results = await Promise.all(
      rigs.map((each, index) => moveMost(each, `${index}-${randomUUID().slice(0, 8)}`)),
    )

    for (const { receipt, dlq, work } of results) {
      expect(receipt).toMatchObject({ outcome: 'done', moved: 1_600, kept: 400, arrivals: 0 })
      expect([await rig.depth(dlq), await rig.depth(work)]).toEqual([400, 1_600])
    }
  },
)

async function moveMost(rig: RecoveryRig, name: string) {
  const [dlq, work] = [`acks-dlq-${name}`, `acks-work-${name}`]
  const quorum = unlimitedQuorum(rig.consuming.broker.version)
  await rig.declare(dlq, quorum)
  await rig.declare(work, quorum)
  await rig.fill(dlq, count, () => ({ headers: { 'x-original-queue': work } }))
  const canary = { messages: 50, waitMs: 100 }
  const select = ({ body }: { readonly body: unknown }): boolean => Number(String(body)) % 5 !== 0
  return { dlq, work, receipt: await rig.redrive({ queue: dlq, canary, select }) }
}
