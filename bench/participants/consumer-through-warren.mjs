import { connect, defineTopology } from 'warrenmq'
import { body, measure, task } from './participant.mjs'

// Publishes and consumes at once, so that the queue stays short and the memory seen is this process's own.
const { url, queue, messages, window, prefetch } = task
const topology = defineTopology({ queues: { [queue]: { deadLetter: false } } })
const warren = await connect(url, { topology, name: 'bench warren consumer' })
const publisher = warren.publisher({ window: { messages: window } })

await measure(async () => {
  let seen = 0
  let done
  const allSeen = new Promise((resolve) => {
    done = resolve
  })
  const handler = async () => {
    seen += 1
    if (seen === messages) done()
  }
  await warren.consume(queue, handler, { concurrency: prefetch, prefetch })
  for (let index = 0; index < messages; index += 1) {
    if (publisher.pendingCount >= window) await publisher.room()
    void publisher.publish({ key: queue, body })
  }
  await allSeen
})
await warren.close()
