import amqplib from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import type { OwnBroker } from './on-own-nodes.ts'
import { showQueue } from './show-queue.ts'

/** The broker tells its counts some seconds later. */
const patience = { timeoutMs: 30_000 }

/** Dead letters that are kept until their target has them, while the target is not there. */
export function testLateLetters(open: () => Promise<OwnBroker>): void {
  test('32 dead letters without a target hold up all others, and all arrive when it is there', async () => {
    const broker = await open()
    const connection = await amqplib.connect(broker.url)
    onTestFinished(() => connection.close())
    const channel = await connection.createConfirmChannel()
    await channel.assertExchange('jobs', 'fanout')
    await channel.assertQueue('here')
    await channel.assertQueue('work', {
      arguments: {
        'x-queue-type': 'quorum',
        'x-overflow': 'reject-publish',
        'x-dead-letter-exchange': '',
        'x-dead-letter-strategy': 'at-least-once',
      },
    })
    await channel.bindQueue('work', 'jobs', '')
    const bodies = Array.from({ length: 33 }, (_, at) => `m${at}`)
    for (const [at, body] of bodies.entries()) {
      channel.publish('jobs', at < 32 ? 'not-yet-here' : 'here', Buffer.from(body))
    }
    await channel.waitForConfirms()
    for (let left = 33; left > 0; left -= 1) {
      const message = await channel.get('work')
      if (message) channel.nack(message, false, false)
    }

    const waiting = await eventually(async () => {
      const shown = await showQueue(broker, 'work')
      return shown.messages_dlx === 33 && shown
    }, patience)
    const before = await channel.checkQueue('here')
    await channel.assertQueue('not-yet-here')
    await broker.passTime()

    expect(waiting).toMatchObject({ messages: 33, messages_ready: 0 })
    expect(before.messageCount).toBe(0)
    expect((await channel.checkQueue('work')).messageCount).toBe(0)
    await eventually(
      async () => expect((await channel.checkQueue('not-yet-here')).messageCount).toBe(32),
      patience,
    )
    await eventually(async () => expect((await channel.checkQueue('here')).messageCount).toBe(1), patience)
    await eventually(async () => expect((await showQueue(broker, 'work')).messages_dlx).toBe(0), patience)
    const arrived: string[] = []
    for (let left = 32; left > 0; left -= 1) {
      const message = await channel.get('not-yet-here', { noAck: true })
      if (message) arrived.push(message.content.toString())
    }
    expect(arrived.toSorted()).toEqual(bodies.slice(0, 32).toSorted())
  })
}
