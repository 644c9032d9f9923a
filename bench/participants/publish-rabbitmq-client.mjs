import { Connection } from 'rabbitmq-client'
import { body, measure, task } from './participant.mjs'

const { url, queue, messages, window } = task
const connection = new Connection({ url, frameMax: 131072, noDelay: true })
const publisher = connection.createPublisher({ confirm: true })
await connection.onConnect()

await measure(async () => {
  let sent = 0
  const lane = async () => {
    while (sent < messages) {
      sent += 1
      await publisher.send(
        {
          routingKey: queue,
          durable: true,
          mandatory: true,
          messageId: crypto.randomUUID(),
          timestamp: Math.floor(Date.now() / 1000),
        },
        body,
      )
    }
  }
  await Promise.all(Array.from({ length: window }, lane))
})
await publisher.close()
await connection.close()
