import { createPublisher, declareQueue, Session, toFieldTable } from 'warrenmq/operations'
import { startEmbeddedBroker } from 'warrenmq/testing'
import { measure, task } from './participant.mjs'

// Every message is a timer of its own: no two of the day's expiries fall on one instant.
const dayMs = 86_400_000
const queueCount = 1000
const broker = await startEmbeddedBroker({ clock: 'virtual' })
const session = await Session.open(broker.url, { name: 'bench virtual day' })
const channel = await session.openChannel()
await declareQueue(channel, { queue: 'work' })
const wait = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'work' }
for (let index = 0; index < queueCount; index += 1) {
  await declareQueue(channel, { queue: `wait-${index}`, arguments: toFieldTable(wait) })
}
const publisher = createPublisher(session)
const body = Buffer.from('timer')
for (let index = 0; index < task.messages; index += 1) {
  if (publisher.pendingCount >= 1000) await publisher.room()
  const expirationMs = Math.floor((index + 1) * (dayMs / task.messages))
  void publisher.publish({ key: `wait-${index % queueCount}`, body, expirationMs })
}
await publisher.close()

await measure(() => broker.clock.advance('24h'))
const { ready } = broker.inspect('work').counts
if (ready !== task.messages) throw new Error(`${ready} of ${task.messages} timers went off.`)
await session.close()
await broker.stop()
