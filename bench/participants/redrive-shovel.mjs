import { setTimeout as wait } from 'node:timers/promises'
import { inspectQueue, Session } from 'warrenmq/operations'
import { measure, task } from './participant.mjs'

// RabbitMQ's own mover. It runs inside the broker, so its CPU is not that of this process.
const { url, managementUrl, queue, target, messages } = task
const session = await Session.open(url, { name: 'bench shovel' })
const channel = await session.openChannel()
const { username, password, origin } = new URL(managementUrl)
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
  await callShovel('PUT', { value })
  for (;;) {
    const { messageCount } = await inspectQueue(channel, target)
    if (messageCount >= messages) return
    await wait(10)
  }
})
await callShovel('DELETE')
await session.close()

async function callShovel(method, body) {
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
  const answer = await fetch(`${origin}/api/parameters/shovel/%2F/bench-${encodeURIComponent(queue)}`, {
    method,
    headers: { authorization: `Basic ${credentials.toString('base64')}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${method} of the shovel answered ${answer.status}: ${await answer.text()}`)
}
