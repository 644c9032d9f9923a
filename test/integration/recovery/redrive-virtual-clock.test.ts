import { expect, onTestFinished, test } from 'vitest'
import { connect, defineTopology, type Warren } from '../../../packages/warrenmq/src/index.ts'
import { type EmbeddedBroker, startEmbeddedBroker } from '../../../packages/warrenmq/src/testing.ts'
import { eventually } from '../../support/eventually.ts'

const topology = defineTopology({
  queues: { orders: { retry: { delays: ['30s', '30m'], maxAttempts: 3 } } },
})

interface Setup {
  readonly broker: EmbeddedBroker
  readonly warren: Warren<'orders'>
  readonly handled: string[]
  readonly warnings: string[]
  repair(): void
}

/** Twenty dead orders on a broker with a virtual clock. */
async function setup(): Promise<Setup> {
  const warnings: string[] = []
  const onWarning = ({ message }: Error): number => warnings.push(message)
  process.on('warning', onWarning)
  onTestFinished(() => void process.off('warning', onWarning))
  const broker = await startEmbeddedBroker({ clock: 'virtual' })
  onTestFinished(broker.stop)
  const warren = await connect(broker.url, { topology, managementUrl: broker.managementUrl })
  onTestFinished(() => warren.close())
  await warren.apply()
  let isDown = true
  const handled: string[] = []
  await warren.consume('orders', ({ id }) => {
    if (isDown) throw new Error('the gateway is down')
    handled.push(id!)
  })
  const ids = Array.from({ length: 20 }, (_, index) => `order-${index}`)
  const publisher = warren.publisher()
  await Promise.all(ids.map((messageId) => publisher.publish({ key: 'orders', body: {}, messageId })))
  await broker.settled()
  await broker.clock.advance('31m')
  expect(broker.inspect('orders.dlq')?.counts.ready).toBe(20)
  const repair = (): void => {
    isDown = false
  }
  return { broker, warren, handled, warnings, repair }
}

test('a canary that dies again on the virtual clock stops its re-drive, and the clock does not wait for it', async () => {
  const { broker, warren, warnings } = await setup()
  const run = warren.deadLetters('orders').startRedrive({ canary: { messages: 2, wait: '1m' } })
  await eventually(() => expect(run.progress.state).toBe('watching'))

  await broker.clock.advance('31m')

  expect(await run.receipt).toMatchObject({ outcome: 'came-back-dead', moved: 2, stillThere: 18 })
  expect(warnings).toEqual([])
})

test('the clock moves on while a re-drive keeps to its rate', async () => {
  const { broker, warren, handled, warnings, repair } = await setup()
  repair()
  const run = warren.deadLetters('orders').startRedrive({ ratePerSecond: 1 })
  await eventually(() => expect(handled.length).toBeGreaterThan(0))

  const before = broker.clock.now()
  await broker.clock.advance('1h')
  run.cancel()

  expect(broker.clock.now()).toBe(before + 3_600_000)
  const { outcome, moved, stillThere, isBalanced } = await run.receipt
  expect({ outcome, isBalanced, sum: moved + stillThere }).toEqual({
    outcome: 'cancelled',
    isBalanced: true,
    sum: 20,
  })
  await broker.settled()
  expect(handled).toHaveLength(moved)
  expect(warnings).toEqual([])
})
