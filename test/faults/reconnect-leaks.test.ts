import { expect, it, onTestFinished } from 'vitest'
import { parseAmqpUrl } from '../../src/broker/amqp/parse-amqp-url.ts'
import { Session } from '../../src/broker/amqp/session.ts'
import { Publisher } from '../../src/publisher/publisher.ts'
import { eventually } from '../support/eventually.ts'
import { resourceCounts } from '../support/resource-counts.ts'
import { startProxy } from '../support/start-proxy.ts'
import { useBroker } from '../support/use-broker.ts'

const broker = await useBroker()

it('200 reconnects in a row leave no socket, timer, listener or channel behind', {
  timeout: 180_000,
}, async () => {
  const proxy = await startProxy({ target: parseAmqpUrl(broker.url)[0]!.port })
  onTestFinished(() => proxy.close())
  const session = await Session.open(proxy.urlFor(broker.url), { backoff: { initialMs: 1, maxMs: 5 } })
  const publisher = new Publisher(session)
  const extra = session.superviseChannel('extra', async (channel) => channel.setPrefetch(10))
  await Promise.all([publisher.room(), extra.whenOpen()])
  const before = resourceCounts()

  for (let round = 0; round < 200; round += 1) {
    const lost = new Promise((resolve) => extra.events.on('lost', resolve))
    proxy.cutAll()
    await lost
    await Promise.all([publisher.room(), extra.whenOpen()])
  }

  await eventually(() => expect(proxy.connectionCount()).toBe(1))
  await eventually(() => {
    for (const [kind, count] of Object.entries(resourceCounts())) {
      expect(count, kind).toBeLessThanOrEqual(before[kind] ?? 0)
    }
  })
  const channelOfLast = await session.openChannel()
  expect(channelOfLast.id).toBeLessThanOrEqual(3) // numbers start anew on each connection: publisher, extra, this
  await eventually(
    async () => {
      const mine = await broker.management<unknown[]>('GET', `/api/vhosts/${broker.vhost}/connections`)
      expect(mine).toHaveLength(1)
    },
    { timeoutMs: 30_000 },
  )
  await publisher.close()
  await session.close()
  await eventually(() => expect(proxy.connectionCount()).toBe(0))
})
