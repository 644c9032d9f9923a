import { expect, it, onTestFinished } from 'vitest'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { startConsumer } from '../../../packages/warrenmq/src/consumer/start-consumer.ts'
import { eventually } from '../../support/eventually.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createConsumerRig } from './consumer-rig.ts'

const broker = await useBroker()

it('a message that may not be read is held and told of, the others are handled, and it is there afterwards', async () => {
  const queue = namePerTry('narrow')
  const declaration = { queues: { [queue]: { retry: false } } } as const
  const { flow, publisher, depth } = await createConsumerRig({ url: broker.url, declaration })
  const consuming = await Session.open(broker.url, { maxBodyBytes: 1000 })
  onTestFinished(() => consuming.close())
  const warnings: string[] = []
  const keep = (warning: Error & { code?: string }) => {
    if (warning.code === 'WARREN_BODY_TOO_LARGE') warnings.push(warning.message)
  }
  process.on('warning', keep)
  onTestFinished(() => void process.off('warning', keep))
  let interruptions = 0
  consuming.events.on('disconnected', () => {
    interruptions += 1
  })
  for (const body of ['first', 'x'.repeat(1001), 'second', 'x'.repeat(2000), 'third'])
    await publisher.publish({ key: queue, body })

  const handled: unknown[] = []
  const consumer = startConsumer({
    consuming,
    publishing: consuming,
    flow: flow(queue),
    handler: ({ rawBody }) => void handled.push(rawBody.toString()),
  })
  await eventually(() => expect(handled).toEqual(['first', 'second', 'third']))
  await eventually(() => expect(warnings).toEqual([expect.stringContaining(`1001 bytes in "${queue}"`)]))
  expect(interruptions).toBe(0)
  await consumer.close()

  await eventually(async () => expect(await depth(queue)).toBe(2))
})
