import amqplib from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import { callManagement } from '../../support/call-management.ts'
import { eventually } from '../../support/eventually.ts'
import type { OwnBroker } from './on-own-nodes.ts'
import { showQueue } from './show-queue.ts'

/** The broker tells its counts some seconds later. */
const patience = { timeoutMs: 30_000 }

/** Dead letters that a full queue has turned away. */
export function testRefusedLetters(open: () => Promise<OwnBroker>): void {
  const atLeastOnce = {
    'x-queue-type': 'quorum',
    'x-overflow': 'reject-publish',
    'x-dead-letter-strategy': 'at-least-once',
    'x-dead-letter-exchange': '',
  }

  async function openFullQueue() {
    const broker = await open()
    const connection = await amqplib.connect(broker.url)
    onTestFinished(() => connection.close())
    const channel = await connection.createConfirmChannel()
    const send = async (queue: string, count: number) => {
      for (let at = 0; at < count; at += 1) channel.sendToQueue(queue, Buffer.from(`${queue} ${at}`))
      await channel.waitForConfirms()
    }
    await channel.assertQueue('target', {
      arguments: { 'x-queue-type': 'quorum', 'x-overflow': 'reject-publish' },
    })
    await channel.assertQueue('source', {
      arguments: { ...atLeastOnce, 'x-dead-letter-routing-key': 'target' },
    })
    await send('target', 4)
    await setLimit(broker, 1)
    await send('source', 3)
    for (let left = 3; left > 0; left -= 1) {
      const message = await channel.get('source')
      if (message) channel.nack(message, false, false)
    }
    await eventually(async () => expect((await showQueue(broker, 'source')).messages_dlx).toBe(3), patience)
    /** Settles when a dead letter that was sent in vain at first has come: all others were sent again by then, too. */
    const sendAgain = async () => {
      await channel.assertQueue('clock', {
        arguments: { ...atLeastOnce, 'x-dead-letter-routing-key': 'later' },
      })
      await send('clock', 1)
      const message = await channel.get('clock')
      if (message) channel.nack(message, false, false)
      await eventually(async () => expect((await showQueue(broker, 'clock')).messages_dlx).toBe(1), patience)
      await channel.assertQueue('later')
      await broker.passTime()
      await eventually(async () => expect((await channel.checkQueue('later')).messageCount).toBe(1), patience)
    }
    const arrived = async () => (await channel.checkQueue('target')).messageCount
    return { broker, arrived, sendAgain }
  }

  test('dead letters that a full queue has turned away come when its limit is raised', async () => {
    const { broker, arrived } = await openFullQueue()

    await setLimit(broker, 1000)
    await broker.passTime()

    await eventually(async () => expect(await arrived()).toBe(7), patience)
  })

  test('when its limit is taken away they come on 4.0 and 4.3, and stay for good on 3.10', async () => {
    const { broker, arrived, sendAgain } = await openFullQueue()

    await setLimit(broker, undefined)
    await sendAgain()

    const hears = broker.profile !== '3.10'
    await eventually(async () => expect(await arrived()).toBe(hears ? 7 : 4), patience)
    await eventually(
      async () => expect((await showQueue(broker, 'source')).messages_dlx).toBe(hears ? 0 : 3),
      patience,
    )
  })
}

/** Of the queue "target". */
async function setLimit({ managementUrl, vhost }: OwnBroker, most: number | undefined): Promise<void> {
  const { origin, username, password } = new URL(managementUrl)
  const access = { managementUrl: origin, username, password }
  const path = `/api/policies/${vhost}/full`
  if (most === undefined) return callManagement(access, 'DELETE', path)
  const definition = { 'max-length': most, overflow: 'reject-publish' }
  await callManagement(access, 'PUT', path, {
    pattern: '^target$',
    definition,
    priority: 9,
    'apply-to': 'queues',
  })
}
