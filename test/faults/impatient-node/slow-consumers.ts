import { expect, it } from 'vitest'
import { deleteQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { compileTopology } from '../../../packages/warrenmq/src/topology/compile-topology.ts'
import { collect, createConsumerRig, declareTopology } from '../../integration/consumer/consumer-rig.ts'
import { createVhostOn } from '../../support/create-vhost-on.ts'
import { eventually } from '../../support/eventually.ts'
import { consumerTimeoutMs } from '../../support/start-impatient-node.ts'
import type { RabbitNode } from '../../support/start-rabbit-node.ts'

const declaration = { queues: { work: { retry: false } } } as const

async function setup(node: RabbitNode) {
  const { url } = await createVhostOn(node, 'slow')
  return createConsumerRig({ url, declaration })
}

/** Consumers with handlers that take their time. */
export function testSlowConsumers(open: () => RabbitNode): void {
  it('does not meet a message whose dead-letter queue was deleted: it is given back, and parked later', async () => {
    const { consume, publisher, admin, depth, drain } = await setup(open())
    const restore = () =>
      declareTopology(admin, compileTopology(declaration, { brokerVersion: open().version }))
    const consumer = await consume(
      'work',
      () => {
        throw new Error('no')
      },
      { ackTimeout: consumerTimeoutMs, breaker: { failureRatio: undefined, openMs: 10 } },
    )
    const settled = collect(consumer, 'delivery.settled')
    const interrupted = collect(consumer, 'consumer.interrupted')
    const outcomes = () => settled.map(({ outcome }) => outcome.kind)
    await deleteQueue(admin, 'work.dlq')
    await publisher.publish({ key: 'work', body: 'kept', messageId: 'm1' })

    // Two rounds are longer than the time-out, so the broker has had its chance.
    await eventually(() => expect(outcomes()).toEqual(['give-back', 'give-back']))
    expect(interrupted).toEqual([])
    await restore()

    await eventually(() => expect(outcomes().at(-1)).toBe('dead-letter'))
    expect(interrupted).toEqual([])
    await consumer.close()
    expect(await drain('work.dlq')).toMatchObject([
      { id: 'm1', headers: { 'warren-reason': 'attempts-exhausted' } },
    ])
    expect(await depth('work')).toBe(0)
  })

  it('ends the channel over a handler that is told of another time-out, and the handler still runs once', async () => {
    const { consume, publisher, depth } = await setup(open())
    let runs = 0
    let finish = (): void => {}
    const consumer = await consume('work', ({ id }) => {
      if (id !== 'm2') return
      runs += 1
      return new Promise<void>((resolve) => {
        finish = resolve
      })
    })
    const interrupted = collect(consumer, 'consumer.interrupted')
    const started = collect(consumer, 'consumer.started')
    const remembered = collect(consumer, 'delivery.remembered')
    const settled = collect(consumer, 'delivery.settled')
    const ends = () => [...settled, ...remembered].filter(({ message }) => message.id === 'm2')

    await publisher.publish({ key: 'work', body: 'long', messageId: 'm2' })
    await eventually(
      async () => {
        // A 4.3 on a busy machine may wake a moment too early and then sleep until the queue has work to do.
        await publisher.publish({ key: 'work', body: 'other' })
        expect(started.length).toBeGreaterThan(0)
      },
      { intervalMs: 1_000 },
    )
    finish()

    // By the run that went on, or by what is known of it, whichever the broker was first with.
    await eventually(() => expect(ends()).toHaveLength(1))
    expect(interrupted.length).toBeGreaterThan(0)
    await eventually(async () => expect(await depth('work')).toBe(0))
    await consumer.close()
    expect([runs, await depth('work'), await depth('work.dlq')]).toEqual([1, 0, 0])
  })
}
