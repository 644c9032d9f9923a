import amqplib from 'amqplib'
import { measure, task } from './participant.mjs'

// The same loop as most people write it, done right: two connections, mandatory, confirm, then ack.
const { url, queue, target, messages, prefetch } = task
const consuming = await amqplib.connect(url, { noDelay: true })
const publishing = await amqplib.connect(url, { noDelay: true })
const channel = await consuming.createChannel()
const confirms = await publishing.createConfirmChannel()
await channel.prefetch(prefetch)

await measure(
  () =>
    new Promise((resolve, reject) => {
      let moved = 0
      confirms.on('return', () => reject(new Error('A message was returned.')))
      const move = (message) => {
        const headers = { ...message.properties.headers, 'x-redriven-by': 'bench', 'x-redriven-count': 1 }
        const options = { ...message.properties, headers, mandatory: true }
        confirms.publish('', target, message.content, options, (error) => {
          if (error) return reject(error)
          channel.ack(message)
          moved += 1
          if (moved === messages) resolve(channel.prefetch(1))
        })
      }
      channel.consume(queue, move).catch(reject)
    }),
)
await Promise.all([consuming.close(), publishing.close()])
