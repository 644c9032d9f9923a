import amqplib from 'amqplib'
import { body, measure, task } from './participant.mjs'

const { url, queue, messages, window } = task
const connection = await amqplib.connect(url, { noDelay: true })
const channel = await connection.createConfirmChannel()

await measure(
  () =>
    new Promise((resolve, reject) => {
      let sent = 0
      let confirmed = 0
      channel.on('drain', pump)
      const onConfirm = (error) => {
        if (error) return reject(error)
        confirmed += 1
        if (confirmed === messages) return resolve()
        pump()
      }
      function pump() {
        while (sent < messages && sent - confirmed < window) {
          sent += 1
          const options = {
            persistent: true,
            mandatory: true,
            messageId: crypto.randomUUID(),
            timestamp: Math.floor(Date.now() / 1000),
          }
          if (!channel.publish('', queue, body, options, onConfirm)) return
        }
      }
      pump()
    }),
)
await connection.close()
