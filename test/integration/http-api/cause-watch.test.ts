import { describe, expect, it } from 'vitest'
import { createQueueTurns } from '../../../src/http-api/broker-line.ts'
import { CauseWatch, type NewCause } from '../../../src/http-api/webhooks/watch-causes.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig } from '../recovery/recovery-rig.ts'

const broker = await useBroker()

async function setup(queue: string) {
  const rig = await createRecoveryRig(broker)
  await rig.declare(queue)
  const { consuming, publishing, management } = rig
  const watch = new CauseWatch({
    line: { consuming, publishing, management, vhost: broker.vhost, topology: undefined },
    turns: createQueueTurns(),
    tasks: { refuseIfBusy: () => {} },
    settings: { maskedPaths: [] },
  })
  const fill = (count: number, error: string) =>
    rig.fill(queue, count, () => ({ headers: { 'exception-type': error } }))
  /** So soon after the last look it may have to wait. */
  const lookUntilFound = (messages: number) =>
    eventually(async () => {
      const found = await watch.look(queue, messages)
      expect(found).not.toEqual([])
      return found
    })
  return { ...rig, watch, fill, lookUntilFound }
}

const told = (found: readonly NewCause[]) => found.map(({ cause, messages }) => [cause.label, messages])

describe('a cause that is new', () => {
  it('is found behind thousands of messages with a known one, and its messages are all counted', async () => {
    const { watch, fill, lookUntilFound, depth } = await setup('deep.dlq')
    await fill(1, 'Timeout')
    const first = await watch.look('deep.dlq', 1)

    await fill(6_000, 'Timeout')
    await fill(2, 'Refused')
    const found = await lookUntilFound(6_003)

    expect(first).toEqual([])
    expect(told(found)).toEqual([['Refused', 2]])
    expect(await watch.look('deep.dlq', 6_003)).toEqual([])
    expect(await depth('deep.dlq')).toBe(6_003)
  })

  it('is found after a task, though there are as many messages as before', async () => {
    const { watch, fill, lookUntilFound, drain } = await setup('same.dlq')
    await fill(1, 'Timeout')
    await watch.look('same.dlq', 1)
    await drain('same.dlq')
    await fill(1, 'Refused')

    const unasked = await watch.look('same.dlq', 1)
    watch.lookAgain('same.dlq')
    const found = await lookUntilFound(1)

    expect(unasked).toEqual([])
    expect(told(found)).toEqual([['Refused', 1]])
  })
})
