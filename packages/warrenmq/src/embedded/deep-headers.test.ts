import amqplib from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../../test/support/eventually.ts'
import { startEmbeddedBroker } from './start-embedded-broker.ts'

/** Deeper than Warren decodes. */
const depth = 70
const nested = (levels: number): unknown[] => (levels === 1 ? ['core'] : [nested(levels - 1)])

test.each(['3.10', '4.0', '4.3'] as const)(
  'on %s headers of any depth pass through returns and dead-lettering, and can be looked at',
  async (profile) => {
    const broker = await startEmbeddedBroker({ profile })
    onTestFinished(broker.stop)
    const connection = await amqplib.connect(broker.url)
    const channel = await connection.createConfirmChannel()
    const deadLetter = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'dead' }
    await channel.assertQueue('work', { arguments: { 'x-queue-type': 'quorum', ...deadLetter } })
    await channel.assertQueue('dead')
    const headers = { zebra: nested(depth), apple: { deep: nested(depth) } }
    channel.sendToQueue('work', Buffer.from('m'), { headers })
    await channel.waitForConfirms()
    channel.nack((await channel.get('work')) || expect.fail('work is empty'), false, true)
    const again = (await channel.get('work')) || expect.fail('work is empty')

    channel.nack(again, false, false)
    await eventually(() => expect(broker.inspect('dead')?.counts.ready).toBe(1))
    const shown = await fetch(`http://127.0.0.1:${broker.managementPort}/api/queues/%2F/dead/get`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('guest:guest').toString('base64')}` },
      body: JSON.stringify({ count: 1, ackmode: 'ack_requeue_true', encoding: 'auto' }),
    })
    const letter = (await channel.get('dead')) || expect.fail('dead is empty')

    expect(letter.properties.headers).toMatchObject({ ...headers, 'x-first-death-queue': 'work' })
    expect(broker.inspect('dead')?.counts).toMatchObject({ ready: 0, unacknowledged: 1 })
    expect(shown.status).toBe(200)
  },
)
