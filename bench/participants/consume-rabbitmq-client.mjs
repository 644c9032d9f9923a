import { Connection } from 'rabbitmq-client'
import { measure, task } from './participant.mjs'

const { url, queue, messages, prefetch } = task
const connection = new Connection({ url, frameMax: 131072, noDelay: true })
await connection.onConnect()
let consumer

await measure(
  () =>
    new Promise((resolve) => {
      let seen = 0
      consumer = connection.createConsumer(
        { queue, queueOptions: { passive: true }, qos: { prefetchCount: prefetch } },
        async () => {
          seen += 1
          if (seen === messages) resolve()
        },
      )
    }),
)
await consumer.close()
await connection.close()
