import amqplib from 'amqplib'
import { measure, task } from './participant.mjs'

const { url, queue, messages, prefetch } = task
const connection = await amqplib.connect(url, { noDelay: true })
const channel = await connection.createChannel()
await channel.prefetch(prefetch)

await measure(
  () =>
    new Promise((resolve, reject) => {
      let seen = 0
      channel
        .consume(queue, (message) => {
          channel.ack(message)
          seen += 1
          if (seen === messages) resolve(channel.prefetch(1))
        })
        .catch(reject)
    }),
)
await connection.close()
