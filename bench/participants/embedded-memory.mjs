import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createPublisher, declareQueue, Session } from 'warrenmq/operations'
import { startEmbeddedBroker } from 'warrenmq/testing'
import { body, task } from './participant.mjs'

// What the queued messages alone hold: the live heap and buffers with them, less the same without them.
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')
const broker = await startEmbeddedBroker()
const session = await Session.open(broker.url, { name: 'bench memory' })
const channel = await session.openChannel()
await declareQueue(channel, { queue: 'full' })
await fill(1000)
const before = await liveBytes()
const startedAt = performance.now()
await fill(task.messages)
const seconds = (performance.now() - startedAt) / 1000
const peakMemoryMiB = ((await liveBytes()) - before) / 2 ** 20
const report = { seconds, messagesPerSecond: task.messages / seconds, cpuMicrosPerMessage: 0, peakMemoryMiB }
process.stdout.write(`${JSON.stringify(report)}\n`)
await session.close()
await broker.stop()

async function fill(messages) {
  const publisher = createPublisher(session)
  for (let index = 0; index < messages; index += 1) {
    if (publisher.pendingCount >= 1000) await publisher.room()
    void publisher.publish({ key: 'full', body })
  }
  await publisher.close()
}

async function liveBytes() {
  await broker.settled()
  collectGarbage()
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
