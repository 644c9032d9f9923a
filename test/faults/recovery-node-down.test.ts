import type { Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { declareQueue } from '../../src/broker/amqp/operations.ts'
import { parseAmqpUrl } from '../../src/broker/amqp/parse-amqp-url.ts'
import { Session } from '../../src/broker/amqp/session.ts'
import { startEmbeddedBroker } from '../../src/embedded/start-embedded-broker.ts'
import { Publisher } from '../../src/publisher/publisher.ts'
import { startRedrive } from '../../src/recovery/redrive.ts'
import { decodeMethod, encodeMethod } from '../../src/wire/methods.ts'
import { toFieldTable } from '../../src/wire/plain-fields.ts'
import { unlimitedQuorum } from '../integration/recovery/recovery-rig.ts'
import { eventually } from '../support/eventually.ts'
import { createFrameSplitter } from '../support/proxy/split-frames.ts'
import { startRelay } from './start-relay.ts'

const nodeDown =
  "NOT_FOUND - home node 'rabbit@b' of durable queue 'dlq' in vhost '/' is down or inaccessible"

/** A line to a broker of whose nodes the one with the queue `dlq` can be down. */
async function startNodeProxy(target: number) {
  const state = { isDown: false, refusals: 0 }
  const urlFor = await startRelay(target, (client, broker) => relay(client, broker, state))
  return { state, urlFor }
}

/** Answers for the node that is down: the broker is only told that the channel is closed. */
function relay(client: Socket, broker: Socket, state: { isDown: boolean; refusals: number }): void {
  const closing = new Set<number>()
  const [fromClient, fromBroker] = [createFrameSplitter(), createFrameSplitter()]
  const close = { name: 'channel.close', classId: 0, methodId: 0 } as const
  client.on('data', (chunk: Buffer) => {
    for (const { bytes, frame } of fromClient(chunk)) {
      const method = frame?.frameType === 1 ? decodeMethod(bytes.subarray(7, -1)) : undefined
      const { channel = 0 } = frame ?? {}
      const isAsked = method?.name === 'queue.declare' || method?.name === 'basic.consume'
      if (state.isDown && isAsked && method.queue === 'dlq') {
        state.refusals += 1
        closing.add(channel)
        client.write(frameOf(channel, encodeMethod({ ...close, replyCode: 404, replyText: nodeDown })))
      } else if (closing.has(channel)) {
        if (method?.name === 'channel.close-ok')
          broker.write(frameOf(channel, encodeMethod({ ...close, replyCode: 200, replyText: '' })))
      } else broker.write(bytes)
    }
  })
  broker.on('data', (chunk: Buffer) => {
    for (const { bytes, frame } of fromBroker(chunk)) {
      const isClosed = frame?.classId === 20 && frame.methodId === 41
      if (!frame || !closing.has(frame.channel)) client.write(bytes)
      else if (isClosed) closing.delete(frame.channel)
    }
  })
}

function frameOf(channel: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(7)
  head.writeUInt8(1, 0)
  head.writeUInt16BE(channel, 1)
  head.writeUInt32BE(payload.length, 3)
  return Buffer.concat([head, payload, Buffer.from([0xce])])
}

/** A re-drive of six dead letters whose node goes down when two of them are moved. */
async function setup() {
  const broker = await startEmbeddedBroker({ profile: '3.10' })
  const { state, urlFor } = await startNodeProxy(parseAmqpUrl(broker.url)[0]!.port)
  const [consuming, publishing] = [await Session.open(urlFor(broker.url)), await Session.open(broker.url)]
  onTestFinished(async () => {
    await Promise.all([consuming.close(), publishing.close()])
    await broker.stop()
  })
  const channel = await publishing.openChannel()
  const args = toFieldTable(unlimitedQuorum(consuming.broker.version))
  for (const queue of ['dlq', 'work']) await declareQueue(channel, { queue, arguments: args })
  const publisher = new Publisher(publishing)
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await publisher.publish({ key: 'dlq', body: id, messageId: id, headers: { 'x-original-queue': 'work' } })
  }
  const run = startRedrive({
    ...{ consuming, publishing, queue: 'dlq', by: 'test', acceptDeliveryLimit: true },
    window: { messages: 1 },
    onProgress: ({ moved }) => {
      if (moved === 2) state.isDown = true
    },
  })
  const depth = (queue: string) => broker.inspect(queue)?.counts.ready ?? 0
  return { run, state, depth }
}

test('a queue whose node is down is not deleted: a re-drive waits for it and moves the rest', async () => {
  const { run, state, depth } = await setup()

  await eventually(() => expect(state.refusals).toBeGreaterThan(2))
  state.isDown = false

  expect(await run.receipt).toMatchObject({
    outcome: 'done',
    present: 6,
    moved: 6,
    missing: 0,
    isBalanced: true,
  })
  expect([depth('dlq'), depth('work')]).toEqual([0, 6])
})

test('a re-drive that is cancelled while the node is down ends, and says that nobody has counted', async () => {
  const { run, state } = await setup()

  await eventually(() => expect(state.refusals).toBeGreaterThan(2))
  run.cancel()

  expect(await run.receipt).toMatchObject({ outcome: 'cancelled', present: 6, missing: 0, isCounted: false })
})

test('a node that stays down ends a re-drive that gets nowhere', async () => {
  const { run, depth } = await setup()

  const receipt = await run.receipt

  expect(receipt).toMatchObject({ outcome: 'interrupted', interruption: 'no-progress', isCounted: false })
  await eventually(() => expect(depth('dlq') + depth('work')).toBe(6))
})
