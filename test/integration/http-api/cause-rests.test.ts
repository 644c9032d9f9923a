import { expect, it } from 'vitest'
import { createQueueTurns } from '../../../packages/cli/src/http-api/guards/queue-turns.ts'
import { CauseWatch } from '../../../packages/cli/src/http-api/webhooks/cause-watch.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig } from '../recovery/recovery-rig.ts'

const broker = await useBroker()

/** A watch whose looks take as long as they are told to, by a clock of its own. */
async function setup(name: string, { tookMs }: { readonly tookMs: number }) {
  const queue = `${namePerTry(name)}.dlq`
  const rig = await createRecoveryRig(broker)
  await rig.declare(queue)
  const { consuming, publishing, management } = rig
  let nowMs = 1_000_000
  let looks = 0
  const watch = new CauseWatch(
    {
      broker: { consuming, publishing, management, vhost: broker.vhost, topology: undefined },
      turns: createQueueTurns(),
      tasks: {
        refuseIfBusy: () => {
          looks += 1
          nowMs += tookMs
        },
      },
      settings: { maskedPaths: [], lookTimeoutMs: 60_000 },
    },
    { now: () => nowMs },
  )
  return {
    ...rig,
    queue,
    look: async (messages: number) => {
      const found = await watch.look(queue, { messages, hasSamples: false })
      return found.map(({ cause }) => cause.label)
    },
    fill: (count: number, error: string) =>
      rig.fill(queue, count, () => ({ headers: { 'exception-type': error } })),
    pass: (ms: number) => {
      nowMs += ms
    },
    looks: () => looks,
  }
}

it('a look that is due right after a long one waits, and finds what it was due for, also among fewer', async () => {
  const { queue, look, fill, drain, pass, looks } = await setup('resting', { tookMs: 1_000 })
  await fill(2, 'Timeout')
  await look(2)
  await fill(1, 'Refused')

  const tooSoon = await look(3)
  const looksSoFar = looks()
  await drain(queue)
  await fill(1, 'Refused')
  pass(3_600_000)
  const afterRest = await look(1)

  expect([tooSoon, looksSoFar]).toEqual([[], 1])
  expect([afterRest, looks()]).toEqual([['Refused'], 2])
})

it('a queue that needs no time to look at is looked at whenever messages come', async () => {
  const { look, fill, looks } = await setup('quick', { tookMs: 0 })
  await fill(1, 'Timeout')
  await look(1)
  await fill(1, 'Refused')

  expect(await look(2)).toEqual(['Refused'])
  expect(looks()).toBe(2)
})
