import { connect, defineTopology } from 'warrenmq'
import { measure, task } from './participant.mjs'

// The whole consumer: admission, attempts, outcome, settlement, and a handler that is as async as most.
const { url, queue, messages, prefetch, timeout } = task
const topology = defineTopology({ queues: { [queue]: { deadLetter: false } } })
const warren = await connect(url, { topology, name: 'bench warren consumer' })

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
  const consumer = await warren.consume(queue, handler, { concurrency: prefetch, prefetch, timeout })
  await allSeen
  await consumer.close()
})
await warren.close()
