import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { parseAmqpUrl } from '../../src/broker/amqp/parse-amqp-url.ts'
import type { RedriveOptions } from '../../src/recovery/redrive.ts'
import { decodeMethod, encodeMethod } from '../../src/wire/methods.ts'
import { createEmbeddedRig } from '../integration/recovery/embedded-rig.ts'
import { eventually } from '../support/eventually.ts'
import { createFrameSplitter } from '../support/proxy/split-frames.ts'
import { startRelay } from './start-relay.ts'

const nodeDown =
  "NOT_FOUND - home node 'rabbit@b' of durable queue 'dlq' in vhost '/' is down or inaccessible"

interface NodeState {
  isDown: boolean
  refusals: number
}

/** A line to a broker of whose nodes the one with the queue `dlq` can be down. */
function startNodeProxy(target: number, state: NodeState): Promise<(url: string) => string> {
  return startRelay(target, (client, broker) => relay(client, broker, state))
}

/** Answers for the node that is down: the broker is only told that the channel is closed. */
function relay(client: Socket, broker: Socket, state: NodeState): void {
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
async function setup(options: Partial<RedriveOptions> = {}) {
  const state = { isDown: false, refusals: 0 }
  const { redrive, depth } = await createEmbeddedRig({
    consumingUrl: async (url) => (await startNodeProxy(parseAmqpUrl(url)[0]!.port, state))(url),
  })
  const waits: number[] = []
  const run = redrive({
    onProgress: ({ moved }) => {
      if (moved === 2) state.isDown = true
    },
    onWait: (waitingMs) => waits.push(waitingMs),
    ...options,
  })
  return { run, state, depth, waits }
}

test('a queue whose node is down is not deleted: a re-drive waits for it and moves the rest', async () => {
  const { run, state, depth } = await setup()

  await eventually(() => expect(state.refusals).toBeGreaterThan(2))
  expect(run.progress.waitingMs).toBeGreaterThan(0)
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

test('a node that stays down is waited for as long as was said, and told', async () => {
  const { run, depth, waits } = await setup({ waitMs: 700 })

  const receipt = await run.receipt

  expect(receipt).toMatchObject({
    outcome: 'interrupted',
    interruption: 'away',
    present: 6,
    isCounted: false,
  })
  expect(waits.at(-1)).toBeGreaterThanOrEqual(700)
  await eventually(() => expect(depth('dlq') + depth('work')).toBe(6))
})
