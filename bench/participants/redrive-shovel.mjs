import { setTimeout as wait } from 'node:timers/promises'
import { inspectQueue, openUnprovedManagement, Session } from 'warrenmq/operations'
import { measure, task } from './participant.mjs'

// RabbitMQ's own mover. It runs inside the broker, so its CPU is not that of this process.
const { url, managementUrl, queue, target, messages } = task
const session = await Session.open(url, { name: 'bench shovel' })
const channel = await session.openChannel()
const management = openUnprovedManagement(managementUrl)
const name = `bench-${queue}`
const value = {
  'src-protocol': 'amqp091',
  'src-uri': url,
  'src-queue': queue,
  'src-prefetch-count': 1000,
  'dest-protocol': 'amqp091',
  'dest-uri': url,
  'dest-queue': target,
  'ack-mode': 'on-confirm',
}

await measure(async () => {
  await management.parameters.put({ component: 'shovel', vhost: '/', name, value })
  for (;;) {
    const { messageCount } = await inspectQueue(channel, target)
    if (messageCount >= messages) return
    await wait(10)
  }
})
await management.parameters.delete({ component: 'shovel', vhost: '/', name })
management.close()
await session.close()
