import { connect, defineTopology } from 'warrenmq'
import { body, measure, task } from './participant.mjs'

// Every message fails twice and is handled at its third attempt, 100 ms after each failure.
const { url, managementUrl, messages, prefetch } = task
const queue = `storm-warren-${process.pid}`
const topology = defineTopology({ queues: { [queue]: { retry: { delays: ['100ms'], maxAttempts: 4 } } } })
const warren = await connect(url, { topology, managementUrl, name: 'bench warren storm' })
await warren.apply()
const publisher = warren.publisher()
for (let index = 0; index < messages; index += 1) {
  if (publisher.pendingCount >= 1000) await publisher.room()
  void publisher.publish({ key: queue, body })
}
await publisher.idle()

await measure(async () => {
  let handled = 0
  let done
  const allHandled = new Promise((resolve) => {
    done = resolve
  })
  const handler = async (_message, { attempt }) => {
    if (attempt < 3) throw new Error('not yet')
    handled += 1
    if (handled === messages) done()
  }
  const consumer = await warren.consume(queue, handler, { concurrency: prefetch, prefetch })
  await allHandled
  await consumer.close()
})
await warren.close()
