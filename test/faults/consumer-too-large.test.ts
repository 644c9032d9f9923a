import { expect, onTestFinished } from 'vitest'
import { reject } from '../../packages/warrenmq/src/consumer/handler-answer.ts'
import { collect, createConsumerRig } from '../integration/consumer/consumer-rig.ts'
import { eventually } from '../support/eventually.ts'
import { startRabbitNode } from '../support/start-rabbit-node.ts'
import { testWithNode } from '../support/with-node.ts'

testWithNode(
  'a message that the broker took once and takes no more is kept, and all others go where they belong',
  { timeout: 400_000 },
  async () => {
    const node = await startRabbitNode()
    onTestFinished(() => node.destroy())
    const declaration = { queues: { work: { retry: { delays: [20], maxAttempts: 2 } } } } as const
    const before = await createConsumerRig({ url: node.amqpUrl, declaration })
    const ids = Array.from({ length: 40 }, (_, index) => `m${index}`)
    const isLarge = (id: string) => id === 'm5' || id === 'm25'
    for (const id of ids) {
      const body = isLarge(id) ? 'x'.repeat(200_000) : id
      await before.publisher.publish({ key: 'work', messageId: id, body })
    }
    // As after an upgrade to 4.0, which takes no more than 16 MiB where 3.13 took 128. New channels go by it.
    await node.rabbitmqctl(
      'eval',
      'application:set_env(rabbit, max_message_size, 100000), persistent_term:put(max_message_size, 100000).',
    )

    const { consume, drain, depth } = await createConsumerRig({ url: node.amqpUrl, declaration })
    const consumer = await consume('work', () => reject('not ours'), { concurrency: 10, prefetch: 40 })
    const [failed, breaker] = [collect(consumer, 'settle.failed'), collect(consumer, 'breaker.changed')]
    await eventually(() => expect(consumer.counts).toEqual({ running: 0, waiting: 0, held: 2 }))

    const small = ids.filter((id) => !isLarge(id))
    const parked = new Set((await drain('work.dlq')).map(({ id }) => id))
    expect([...parked].toSorted()).toEqual(small.toSorted())
    const kept = failed.filter(({ message }) => isLarge(message.id!))
    expect(kept.map(({ message }) => message.id).toSorted()).toEqual(['m25', 'm5'])
    for (const { result } of kept) {
      expect(result).toMatchObject({ kind: 'unknown', wasSent: false, cause: { code: 'MESSAGE_TOO_LARGE' } })
    }
    expect(breaker).toEqual([])
    await consumer.close()
    await eventually(async () => expect(await depth('work')).toBe(2))
  },
)
