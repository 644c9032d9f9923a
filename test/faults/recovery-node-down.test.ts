import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { parseAmqpUrl } from '../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import { recoverQueues } from '../../packages/warrenmq/src/recovery/recover/recover-queues.ts'
import type { RedriveOptions } from '../../packages/warrenmq/src/recovery/redrive/redrive-options.ts'
import { decodeMethod, encodeMethod } from '../../packages/warrenmq/src/wire/methods.ts'
import type { PlainTable } from '../../packages/warrenmq/src/wire/plain-fields.ts'
import { createEmbeddedRig } from '../integration/recovery/embedded-rig.ts'
import { buildFrame } from '../support/build-frame.ts'
import { eventually } from '../support/eventually.ts'
import { createFrameSplitter } from '../support/proxy/split-frames.ts'
import { startRelay } from './start-relay.ts'

const nodeDown =
  "NOT_FOUND - home node 'rabbit@b' of durable queue 'dlq' in vhost '/' is down or inaccessible"

interface NodeState {
  isDown: boolean
  /** It goes down at the next look for a rival's lock, as before the count at the end. */
  isDownAtLock?: boolean
  refusals: number
}

/** A connection to a broker of whose nodes the one with the queue `dlq` can be down. */
function startNodeProxy(target: number, state: NodeState): Promise<(url: string) => string> {
  return startRelay(target, (client, broker) => relay(client, broker, state))
}

/** Answers for the node that is down: the broker is only told that the channel is closed. */
function relay(client: Socket, broker: Socket, state: NodeState): void {
  const closing = new Set<number>()
  const [fromClient, fromBroker] = [createFrameSplitter(), createFrameSplitter()]
  client.on('data', (chunk: Buffer) => {
    for (const { bytes, frame } of fromClient(chunk)) {
      const method = frame?.frameType === 1 ? decodeMethod(bytes.subarray(7, -1)) : undefined
      const { channel = 0 } = frame ?? {}
      const isAsked = method?.name === 'queue.declare' || method?.name === 'basic.consume'
      if (state.isDownAtLock && isAsked && method.queue.startsWith('warren.lock')) state.isDown = true
      if (state.isDown && isAsked && method.queue === 'dlq') {
        state.refusals += 1
        closing.add(channel)
        client.write(closeFrame(channel, { replyCode: 404, replyText: nodeDown }))
      } else if (closing.has(channel)) {
        if (method?.name === 'channel.close-ok')
          broker.write(closeFrame(channel, { replyCode: 200, replyText: '' }))
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

function closeFrame(
  channel: number,
  reply: { readonly replyCode: number; readonly replyText: string },
): Buffer {
  const payload = encodeMethod({ name: 'channel.close', classId: 0, methodId: 0, ...reply })
  return buildFrame({ type: 1, channel, payload })
}

async function setupNode(headers?: PlainTable) {
  const state: NodeState = { isDown: false, refusals: 0 }
  const rig = await createEmbeddedRig({
    ...(headers && { headers }),
    consumingUrl: async (url) => (await startNodeProxy(parseAmqpUrl(url)[0]!.port, state))(url),
  })
  return { ...rig, state }
}

/** A re-drive of six dead letters whose node goes down when two of them are moved. */
async function setup(options: Partial<RedriveOptions> = {}) {
  const { redrive, depth, state } = await setupNode()
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
  await eventually(() => expect(run.progress.waitingMs).toBeGreaterThan(0))
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

test('a node that goes down before the count is waited for as long as was said', async () => {
  const { redrive, state, depth } = await setupNode()

  const receipt = await redrive({
    waitMs: 700,
    onProgress: ({ moved }) => {
      if (moved === 6) state.isDownAtLock = true
    },
  }).receipt

  expect(state.refusals).toBeGreaterThan(0)
  expect(receipt).toMatchObject({ outcome: 'interrupted', interruption: 'away', isCounted: false, moved: 6 })
  expect([depth('dlq'), depth('work')]).toEqual([0, 6])
})

test('a recovery whose node stays down ends with a stall, however many passes it tries', async () => {
  const { task, state, depth } = await setupNode({ MessageType: 'OrderPlaced' })
  const log: string[] = []

  const [recovery] = await recoverQueues({
    ...task,
    queues: ['dlq'],
    window: { messages: 1 },
    types: { routes: { OrderPlaced: { exchange: '', key: 'work' } } },
    timeouts: { stallMs: 6_000 }, // longer than any pause between two passes
    log: (line) => log.push(line),
    onProgress: ({ recovered }) => {
      if (recovered === 2) state.isDown = true
    },
  })

  expect(log).toContain('⚠️  No progress in dlq for 6000 ms. Ending...')
  expect(recovery).toMatchObject({ isCounted: false, problem: undefined })
  expect(recovery!.recovered + recovery!.left).toBe(6)
  await eventually(() => expect(depth('dlq') + depth('work')).toBe(6))
})
