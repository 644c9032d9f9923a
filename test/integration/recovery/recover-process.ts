import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { recoverQueues } from '../../../packages/warrenmq/src/recovery/recover/recover-queues.ts'

interface Task {
  readonly url: string
  readonly queue: string
  readonly exchange: string
}

// A worker that recovers at its start, in a process of its own so that a test can kill it. It says when a line is logged.
const { url, queue, exchange } = JSON.parse(process.argv[2]!) as Task
await recoverQueues({
  consuming: await Session.open(url),
  publishing: await Session.open(url),
  queues: [queue],
  types: { routes: { CollectionScan: { exchange, key: 'collection.scan' } } },
  window: { messages: 50 },
  // Without the management API it cannot know that the queue has no limit.
  acceptDeliveryLimit: true,
  log: (line) => {
    process.stdout.write(`${line}\n`)
    // Who waits for this line to kill it does so in the middle of its work, however late that is.
    if (line.includes('Recovered 1000 ')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000)
  },
})
