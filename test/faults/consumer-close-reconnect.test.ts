import { describe, expect, it, onTestFinished } from 'vitest'
import { parseAmqpUrl } from '../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import { startEmbeddedBroker } from '../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { collect, createConsumerRig } from '../integration/consumer/consumer-rig.ts'
import { eventually } from '../support/eventually.ts'
import { startProxy } from '../support/start-proxy.ts'
import { useBroker } from '../support/use-broker.ts'

const rabbit = await useBroker()
const bodies = Array.from({ length: 8 }, (_, index) => `m${index}`)
let made = 0

async function startEmbedded(): Promise<string> {
  const broker = await startEmbeddedBroker({ profile: '4.0' })
  onTestFinished(() => broker.stop())
  return broker.url
}

/** A consumer, reached through a proxy, whose handler has the first message and does not end by itself. */
async function setup(url: string) {
  made += 1
  const name = `closing-${made}`
  const proxy = await startProxy({ target: parseAmqpUrl(url)[0]!.port })
  onTestFinished(() => proxy.close())
  const rig = await createConsumerRig({
    url,
    consumingUrl: proxy.urlFor(url),
    declaration: { queues: { [name]: { retry: { delays: [20], maxAttempts: 3 } } } },
  })
  for (const body of bodies) await rig.publisher.publish({ key: name, body, messageId: body })
  const began: unknown[] = []
  const consumer = await rig.consume(
    name,
    ({ body }, { signal }) => {
      began.push(body)
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    },
    { concurrency: 1, prefetch: 4 },
  )
  await eventually(() => expect(consumer.counts).toEqual({ running: 1, waiting: 3, held: 0 }))
  const started = collect(consumer, 'consumer.started')

  /** Every message is where it was, and went to and fro no more often than the faults of the test explain. */
  const expectAllThere = async () => {
    await eventually(async () => expect(await rig.depth(name)).toBe(bodies.length))
    expect(await rig.depth(`${name}.dlq`)).toBe(0)
    const left = await rig.drain(name)
    expect(left.map(({ body }) => body).toSorted()).toEqual(bodies)
    for (const { headers } of left) {
      expect(Number(headers['x-delivery-count'] ?? 0)).toBeLessThanOrEqual(2)
      expect(Number(headers['x-acquired-count'] ?? 0)).toBeLessThanOrEqual(2)
    }
    expect(began).toEqual(['m0'])
    expect(started).toEqual([])
  }
  return { ...rig, name, proxy, consumer, expectAllThere }
}

describe.each([
  ['the embedded broker as 4.0', startEmbedded],
  ['RabbitMQ', () => Promise.resolve(rabbit.url)],
])('on %s, a consumer that closes', (_, brokerUrl) => {
  it('and loses its connection takes nothing when that comes back', async () => {
    const { consumer, consuming, proxy, expectAllThere } = await setup(await brokerUrl())
    const connected = new Promise<void>((resolve) => {
      consuming.events.on('connected', () => resolve())
    })

    // As long as the deadline is not over, another subscription would have the messages run in circles.
    const closing = consumer.close({ deadline: 700 })
    proxy.cutAll()
    await connected
    await closing

    await expectAllThere()
  })

  it('while it comes back and its subscription is not answered yet ends that, and takes nothing', async () => {
    const { consumer, proxy, expectAllThere } = await setup(await brokerUrl())
    // The question is only watched on its way, and the answer is kept on the connection until the consumer closes.
    const consume = { direction: 'to-broker', classId: 60, methodId: 20 } as const
    const consumeOk = { direction: 'to-client', classId: 60, methodId: 21 } as const
    const isAsked = proxy.atFrame(consume, { kind: 'throttle', bytesPerSecond: Number.POSITIVE_INFINITY })
    void proxy.atFrame(consumeOk, { kind: 'delay', delayMs: 60_000 })
    proxy.cutAll()
    await isAsked

    const closing = consumer.close({ deadline: 700 })
    proxy.resume()
    await closing

    await expectAllThere()
  })
})
