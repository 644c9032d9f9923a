import { createHook } from 'node:async_hooks'
import amqplib from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../test/support/eventually.ts'
import { resourceCounts } from '../../../../test/support/resource-counts.ts'
import { type EmbeddedBroker, startEmbeddedBroker } from './start-embedded-broker.ts'

/** Timers that the broker has started and that still run; those that do not keep the process alive count too. */
function watchTimers(): ReadonlySet<number> {
  const running = new Set<number>()
  const hook = createHook({
    init: (id, type) => {
      const isTimer =
        type === 'Timeout' && /src\/(clock|embedded\/(server|model))/.test(new Error('where').stack ?? '')
      if (isTimer) running.add(id)
    },
    destroy: (id) => {
      running.delete(id)
    },
  }).enable()
  onTestFinished(() => void hook.disable())
  return running
}

function sockets(): number {
  const { TCPServerWrap = 0, TCPSocketWrap = 0 } = resourceCounts()
  return TCPServerWrap + TCPSocketWrap
}

/** A connection with everything on it that the broker needs a timer for. */
async function useTimers(broker: EmbeddedBroker): Promise<void> {
  const connection = await amqplib.connect(`${broker.url}?heartbeat=30`)
  connection.on('error', () => undefined)
  const channel = await connection.createConfirmChannel()
  channel.on('error', () => undefined)
  for (const type of ['classic', 'quorum']) {
    const args = { 'x-queue-type': type, 'x-message-ttl': 1_800_000, 'x-expires': 3_600_000 }
    await channel.assertQueue(type, { durable: true, arguments: args })
    channel.sendToQueue(type, Buffer.from('held'))
    channel.sendToQueue(type, Buffer.from('waits'))
    await channel.waitForConfirms()
    await channel.get(type)
  }
  broker.faults.changeConfirms({ kind: 'delay', delayMs: 1_800_000 })
  channel.sendToQueue('classic', Buffer.from('late'), {}, () => undefined)
  await broker.settled()
}

test.each(['3.10', '4.0', '4.3'] as const)(
  'a broker %s that is stopped leaves no timer and no socket behind',
  async (profile) => {
    const timers = watchTimers()
    const socketsBefore = sockets()
    const broker = await startEmbeddedBroker({ profile })
    await useTimers(broker)
    const timersInUse = timers.size

    await broker.stop()

    expect(timersInUse).toBeGreaterThanOrEqual(5)
    await eventually(() => expect([...timers]).toEqual([]))
    await eventually(() => expect(sockets()).toBe(socketsBefore))
  },
)

test('many brokers run in one process, each with a content of its own', async () => {
  const names = Array.from({ length: 10 }, (_, at) => `broker ${at}`)
  const socketsBefore = sockets()
  const brokers = await Promise.all(names.map(() => startEmbeddedBroker()))
  await Promise.all(
    brokers.map(async ({ url }, at) => {
      const connection = await amqplib.connect(url)
      const channel = await connection.createConfirmChannel()
      await channel.assertQueue('work')
      channel.sendToQueue('work', Buffer.from(names[at]!))
      await channel.waitForConfirms()
      await connection.close()
    }),
  )

  const contents = brokers.map((broker) =>
    broker.inspect('work')!.messages.map(({ body }) => body.toString()),
  )
  await brokers[0]!.stop()
  const afterOneStopped = brokers.slice(1).map((broker) => broker.inspect('work')!.counts.ready)
  await Promise.all(brokers.slice(1).map((broker) => broker.stop()))

  expect(contents).toEqual(names.map((name) => [name]))
  expect(new Set(brokers.flatMap(({ port, managementPort }) => [port, managementPort])).size).toBe(20)
  expect(afterOneStopped).toEqual(names.slice(1).map(() => 1))
  await eventually(() => expect(sockets()).toBe(socketsBefore))
})
