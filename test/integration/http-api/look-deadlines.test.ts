import { expect, it, onTestFinished } from 'vitest'
import { createQueueTurns } from '../../../packages/cli/src/http-api/guards/queue-turns.ts'
import { findEdited } from '../../../packages/cli/src/http-api/tasks/find-edited.ts'
import { CauseWatch } from '../../../packages/cli/src/http-api/webhooks/cause-watch.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { outlast } from '../../support/outlast.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig } from '../recovery/recovery-rig.ts'

const broker = await useBroker()
const lookTimeoutMs = 3_000

/** Messages that take a minute to come. */
async function setup(name: string) {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const consumingUrl = proxy.urlFor(broker.url)
  const { consuming, publishing, management, ...rig } = await createRecoveryRig({ ...broker, consumingUrl })
  const queue = `${namePerTry(name)}.dlq`
  await rig.declare(queue)
  await rig.fill(queue, 600, () => ({
    body: 'x'.repeat(5_000),
    headers: { 'exception-type': 'Timeout' },
  }))
  const server = { consuming, publishing, management, vhost: broker.vhost, topology: undefined }
  const turns = createQueueTurns()
  proxy.throttle(50_000)
  /** Somebody else of this server, who wants the queue. */
  const takeNext = () => turns.take(queue, async () => 'mine')
  return { ...rig, queue, turns, server, takeNext }
}

it('a look for webhooks ends in its time, lets others have the queue, and knows what it has seen', async () => {
  const { queue, turns, server, takeNext, depth } = await setup('watched')
  const watch = new CauseWatch({
    broker: server,
    turns,
    tasks: { refuseIfBusy: () => undefined },
    settings: { maskedPaths: [], lookTimeoutMs },
  })

  const found = await outlast(watch.look(queue, { messages: 600, hasSamples: false }), 10_000)
  const next = await outlast(takeNext(), 10_000)

  expect([found, next]).toEqual([[], 'mine'])
  expect(await depth(queue)).toBe(600)
})

it('a look for webhooks ends with the server', async () => {
  const { queue, turns, server } = await setup('closing')
  const closing = new AbortController()
  const watch = new CauseWatch({
    broker: server,
    turns,
    tasks: { refuseIfBusy: () => closing.abort(new Error('closing')) },
    settings: { maskedPaths: [], lookTimeoutMs: 60_000 },
    signal: closing.signal,
  })

  const looking = watch
    .look(queue, { messages: 600, hasSamples: false })
    .catch((error: Error) => error.message)

  expect(await outlast(looking, 10_000)).toBe('closing')
})

it('a look for an edited message ends in its time, and does not call gone what it has not seen', async () => {
  const { queue, turns, server, takeNext, depth } = await setup('edited')

  const found = await outlast(
    findEdited({ broker: server, turns, lookTimeoutMs }, { queue, key: 'of no message' }),
    10_000,
  )
  const next = await outlast(takeNext(), 10_000)

  expect([found, next]).toEqual(['unknown', 'mine'])
  expect(await depth(queue)).toBe(600)
})
