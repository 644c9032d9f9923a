import { describe, expect, onTestFinished, test } from 'vitest'
import { connectRaw, type RawClient } from '../../../../test/conformance/raw-client.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { encodeProperties } from '../wire/properties.ts'
import { type EmbeddedBroker, startEmbeddedBroker } from './start-embedded-broker.ts'

/** Confirms as they come over the wire: `3 and before` is one word for several. */
type Heard = `${'ack' | 'nack'} ${number}${'' | ' and before'}`

interface Rig {
  readonly broker: EmbeddedBroker
  readonly client: RawClient
  /** By channel. */
  readonly heard: Readonly<Record<number, Heard[]>>
  /** In one turn, so that the broker gets them in one piece and may confirm them in one word. */
  publish(channel: number, bodies: readonly string[]): void
}

/** A client with two channels that confirm, and the queue `work`. */
async function setup(): Promise<Rig> {
  const broker = await startEmbeddedBroker({ clock: 'virtual' })
  onTestFinished(broker.stop)
  const heard: Record<number, Heard[]> = { 1: [], 2: [] }
  const client = await connectRaw(broker.url, ({ channel, method }) => {
    if (method.name !== 'basic.ack' && method.name !== 'basic.nack') return
    const kind = method.name === 'basic.ack' ? 'ack' : 'nack'
    heard[channel]!.push(`${kind} ${method.deliveryTag}${method.multiple ? ' and before' : ''}`)
  })
  await openConfirmChannel(client, 1)
  await openConfirmChannel(client, 2)
  client.send(1, {
    name: 'queue.declare',
    queue: 'work',
    passive: false,
    durable: true,
    exclusive: false,
    autoDelete: false,
    noWait: false,
    arguments: [],
  })
  await client.expect(1, ['queue.declare-ok'])
  return { broker, client, heard, publish: (channel, bodies) => publishAll(client, channel, bodies) }
}

async function openConfirmChannel(client: RawClient, channel: number): Promise<void> {
  client.send(channel, { name: 'channel.open' })
  client.send(channel, { name: 'confirm.select', noWait: false })
  await client.expect(channel, ['confirm.select-ok'])
}

function publishAll(client: RawClient, channel: number, bodies: readonly string[]): void {
  for (const body of bodies) {
    client.publish(
      channel,
      { name: 'basic.publish', exchange: '', routingKey: 'work', mandatory: false, immediate: false },
      encodeProperties({}),
      Buffer.from(body),
    )
  }
}

test('publishes that come at once are confirmed in one word', async () => {
  const { broker, heard, publish } = await setup()

  publish(1, ['first', 'second', 'third'])
  await broker.settled()

  expect(heard[1]).toEqual(['ack 3 and before'])
})

test('a confirm can be lost, and no later one tells of its message', async () => {
  const { broker, heard, publish } = await setup()
  broker.faults.changeConfirms({ kind: 'drop' })

  publish(1, ['lost', 'second', 'third'])
  await broker.settled()
  publish(1, ['fourth', 'fifth'])
  await broker.settled()

  expect(heard[1]).toEqual(['ack 2', 'ack 3', 'ack 4', 'ack 5'])
  expect(broker.inspect('work')?.counts.ready).toBe(5)
})

test('a late confirm is told by itself, after those of later messages', async () => {
  const { broker, heard, publish } = await setup()
  broker.faults.changeConfirms({ kind: 'delay', delayMs: 60_000 })

  publish(1, ['late', 'second', 'third'])
  await broker.clock.advance('1m')
  publish(1, ['fourth', 'fifth'])
  await broker.settled()

  expect(heard[1]).toEqual(['ack 2', 'ack 3', 'ack 1', 'ack 5 and before'])
})

test('a late confirm is never sent to the next channel of the same number', async () => {
  const { broker, client, heard, publish } = await setup()
  broker.faults.changeConfirms({ kind: 'delay', delayMs: 60_000 })
  publish(1, ['late'])
  await broker.settled()

  client.send(1, { name: 'channel.close', replyCode: 200, replyText: 'bye', classId: 0, methodId: 0 })
  await client.expect(1, ['channel.close-ok'])
  await openConfirmChannel(client, 1)
  await broker.clock.advance('2m')

  expect(heard[1]).toEqual([])
})

test('a refusal concerns one message of those that are published at once', async () => {
  const { broker, heard, publish } = await setup()
  publish(1, ['first'])
  await broker.settled()
  broker.faults.changeConfirms({ kind: 'nack' })

  publish(1, ['refused', 'third', 'fourth'])
  await broker.settled()

  // Before the refusal nothing is open, so that it may speak of all before it.
  expect(heard[1]).toEqual(['ack 1', 'ack 3', 'ack 4', 'nack 2 and before'])
})

describe('a connection that is cut after the n-th publish was confirmed', () => {
  test.each([
    [1, ['ack 1']],
    [2, ['ack 2 and before']],
    [3, ['ack 3 and before']],
  ])('for n = %i has heard of so many, of three that came at once', async (nth, words) => {
    const { broker, client, heard, publish } = await setup()
    const happened = broker.faults.cutConnection('after-publish-confirmed', { nth })

    publish(1, ['first', 'second', 'third'])
    await happened
    await eventually(() => expect(client.isOpen).toBe(false))

    expect(heard[1]).toEqual(words)
    expect(broker.inspect('work')?.counts.ready).toBe(3)
  })

  test('hears of no more on its other channels', async () => {
    const { broker, client, heard, publish } = await setup()
    const happened = broker.faults.cutConnection('after-publish-confirmed', { nth: 2 })

    publish(1, ['first', 'second'])
    publish(2, ['first', 'second'])
    await happened
    await eventually(() => expect(client.isOpen).toBe(false))

    expect(heard).toEqual({ 1: ['ack 2 and before'], 2: [] })
  })

  test('counts a late confirm when it is sent', async () => {
    const { broker, client, heard, publish } = await setup()
    broker.faults.changeConfirms({ kind: 'delay', delayMs: 60_000 })
    const happened = broker.faults.cutConnection('after-publish-confirmed', { nth: 2 })

    publish(1, ['late', 'second'])
    await broker.clock.advance('1m')
    await happened
    await eventually(() => expect(client.isOpen).toBe(false))

    expect(heard[1]).toEqual(['ack 2', 'ack 1'])
  })
})
