import { createPublisher, Session } from 'warrenmq/operations'
import { body, measure, task } from './participant.mjs'

// Publishes and consumes at once, so that the queue stays short and the memory seen is this process's own.
const { url, queue, messages, window, prefetch } = task
const publishing = await Session.open(url, { name: 'bench warren publishing' })
const consuming = await Session.open(url, { name: 'bench warren consuming' })
const publisher = createPublisher(publishing, { window: { messages: window } })
const channel = await consuming.openChannel()
await channel.setPrefetch(prefetch)

await measure(async () => {
  let seen = 0
  const allSeen = new Promise((resolve, reject) => {
    channel
      .consume(queue, (delivery) => {
        delivery.ack()
        seen += 1
        if (seen === messages) resolve()
      })
      .catch(reject)
  })
  for (let index = 0; index < messages; index += 1) {
    if (publisher.pendingCount >= window) await publisher.room()
    void publisher.publish({ key: queue, body })
  }
  await allSeen
})
await Promise.all([publishing.close(), consuming.close()])
