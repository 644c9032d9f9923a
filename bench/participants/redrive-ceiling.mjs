import { createPublisher, Session } from 'warrenmq/operations'
import { body, measure, task } from './participant.mjs'

// What the broker takes at most: our own publisher sends as many messages with confirms, and nothing else is done.
const { url, target, messages, window } = task
const session = await Session.open(url, { name: 'bench ceiling' })
const publisher = createPublisher(session, { window: { messages: window } })

await measure(async () => {
  for (let index = 0; index < messages; index += 1) {
    if (publisher.pendingCount >= window) await publisher.room()
    void publisher.publish({ key: target, body })
  }
  await publisher.idle()
})
await session.close()
