import amqplib from 'amqplib'
import { measure, task } from './participant.mjs'

// The reference recovery service as it is written: prefetch 1, publish, wait, ack, next.
const { url, queue, target, messages } = task
const connection = await amqplib.connect(url, { noDelay: true })
const channel = await connection.createConfirmChannel()
await channel.prefetch(1)

await measure(
  () =>
    new Promise((resolve, reject) => {
      let moved = 0
      const move = (message) => {
        channel.publish('', target, message.content, message.properties, (error) => {
          if (error) return reject(error)
          channel.ack(message)
          moved += 1
          if (moved === messages) resolve(channel.prefetch(1))
        })
      }
      channel.consume(queue, move).catch(reject)
    }),
)
await connection.close()
