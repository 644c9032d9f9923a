import { describe, expect, it } from 'vitest'
import { createQueueTurns } from '../../../packages/cli/src/http-api/guards/queue-turns.ts'
import { CauseWatch, type NewCause } from '../../../packages/cli/src/http-api/webhooks/cause-watch.ts'
import { RecoveryError } from '../../../packages/warrenmq/src/errors.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig } from '../recovery/recovery-rig.ts'

const broker = await useBroker()

async function setup(name: string, { hasSamples = false } = {}) {
  const queue = `${namePerTry(name)}.dlq`
  const rig = await createRecoveryRig(broker)
  await rig.declare(queue)
  const { consuming, publishing, management } = rig
  const busy = { is: false }
  const watch = new CauseWatch({
    broker: { consuming, publishing, management, vhost: broker.vhost, topology: undefined },
    turns: createQueueTurns(),
    tasks: {
      refuseIfBusy: () => {
        if (busy.is) throw new RecoveryError({ code: 'RECOVERY_LOCKED', message: 'busy' })
      },
    },
    settings: { maskedPaths: [], lookTimeoutMs: 60_000 },
  })
  const look = (messages: number) => watch.look(queue, { messages, hasSamples })
  const fill = (count: number, error: string) =>
    rig.fill(queue, count, () => ({ headers: { 'exception-type': error } }))
  /** So soon after the last look it may have to wait. */
  const lookUntilFound = (messages: number) =>
    eventually(async () => {
      const found = await look(messages)
      expect(found).not.toEqual([])
      return found
    })
  return { ...rig, queue, watch, busy, look, fill, lookUntilFound, fillAnyhow: rig.fill }
}

const told = (found: readonly NewCause[]) => found.map(({ cause, messages }) => [cause.label, messages])

describe('a cause that is new', () => {
  it('is found behind thousands of messages with a known one, and its messages are all counted', async () => {
    const { queue, look, fill, lookUntilFound, depth } = await setup('deep')
    await fill(1, 'Timeout')
    const first = await look(1)

    await fill(6_000, 'Timeout')
    await fill(2, 'Refused')
    const found = await lookUntilFound(6_003)

    expect(first).toEqual([])
    expect(told(found)).toEqual([['Refused', 2]])
    expect(await look(6_003)).toEqual([])
    expect(await depth(queue)).toBe(6_003)
  })

  it('is found after a task, though there are as many messages as before', async () => {
    const { queue, watch, look, fill, lookUntilFound, drain } = await setup('same')
    await fill(1, 'Timeout')
    await look(1)
    await drain(queue)
    await fill(1, 'Refused')

    const unasked = await look(1)
    watch.lookAgain(queue)
    const found = await lookUntilFound(1)

    expect(unasked).toEqual([])
    expect(told(found)).toEqual([['Refused', 1]])
  })

  it('is found though the look that was due was refused, and there are fewer messages since', async () => {
    const { queue, busy, look, fill, lookUntilFound, drain } = await setup('owed')
    await fill(2, 'Timeout')
    await look(2)
    await fill(1, 'Refused')

    busy.is = true
    const refused = await look(3)
    busy.is = false
    await drain(queue)
    await fill(1, 'Refused')
    const found = await lookUntilFound(1)

    expect(refused).toEqual([])
    expect(told(found)).toEqual([['Refused', 1]])
  })

  it.each([
    [false, undefined],
    [true, '0'],
  ])('has a sample where somebody wants it: %s', async (hasSamples, sample) => {
    const { look, fill, lookUntilFound } = await setup(`sampled-${hasSamples}`, { hasSamples })
    await fill(1, 'Timeout')
    await look(1)

    await fill(1, 'Refused')
    const found = await lookUntilFound(2)

    expect(found.map((each) => each.sample)).toEqual([sample])
  })

  it('is told among the first thousand of a queue only, however many come at once', async () => {
    const { queue, look, fill, lookUntilFound, fillAnyhow } = await setup('wild')
    await fill(1, 'Timeout')
    await look(1)

    await fillAnyhow(queue, 1_100, (index) => ({ headers: { 'exception-type': inLetters(index) } }))
    const found = await lookUntilFound(1_101)

    expect(found).toHaveLength(999)
  })
})

/** Numbers are no part of a cause. */
function inLetters(index: number): string {
  return `Error${[...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`
}
