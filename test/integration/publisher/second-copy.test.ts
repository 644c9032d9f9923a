import { expect, it, onTestFinished } from 'vitest'
import {
  bindQueue,
  declareExchange,
  declareQueue,
  inspectQueue,
  unbindQueue,
} from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { parseAmqpUrl } from '../../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import { toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { namePerTry } from '../../support/name-per-try.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()

async function setup() {
  const proxy = await startProxy({ target: parseAmqpUrl(broker.url)[0]!.port })
  const session = await Session.open(proxy.urlFor(broker.url), { backoff: { initialMs: 4, maxMs: 64 } })
  const publisher = new Publisher(session, { resend: true })
  const direct = await Session.open(broker.url)
  onTestFinished(async () => {
    await publisher.close()
    await Promise.all([session.close(), direct.close()])
    proxy.close()
  })
  const channel = await direct.openChannel()
  const place = namePerTry('second')
  await declareExchange(channel, { exchange: place, type: 'direct' })
  const full = toFieldTable({ 'x-max-length': 1, 'x-overflow': 'reject-publish' })
  await declareQueue(channel, { queue: place, arguments: full })
  await bindQueue(channel, { exchange: place, queue: place, routingKey: 'order' })
  await publisher.room()
  return {
    /** Publishes; the first copy arrives, its confirm does not, and `meanwhile` is done before the second is sent. */
    publish: async (meanwhile: () => Promise<unknown>) => {
      const cut = proxy.cutAtFrame({ direction: 'to-client', classId: 60, methodId: 80, where: 'before' })
      const result = publisher.publish({ exchange: place, key: 'order', body: 'first or second' })
      await cut
      proxy.refuse()
      await meanwhile()
      await proxy.accept()
      return result
    },
    unbind: () => unbindQueue(channel, { exchange: place, queue: place, routingKey: 'order' }),
    depth: async () => (await inspectQueue(channel, place)).messageCount,
  }
}

it('a second copy that comes back says that a queue may have the first', async () => {
  const { publish, unbind, depth } = await setup()

  const result = await publish(unbind)

  expect(result).toMatchObject({ kind: 'returned', mayBeDuplicate: true })
  expect(await depth()).toBe(1)
})

it('a second copy that is refused says that a queue may have the first', async () => {
  const { publish, depth } = await setup()

  const result = await publish(async () => undefined)

  expect(result).toMatchObject({ kind: 'nacked', mayBeDuplicate: true })
  expect(await depth()).toBe(1)
})
