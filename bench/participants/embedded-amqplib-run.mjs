import amqplib from 'amqplib'
import { body, measure, task } from './participant.mjs'

/** Publishes with confirms and consumes with acknowledgements at once, through amqplib, on whatever broker this is. */
export async function runThroughAmqplib(url, queue) {
  const { messages, window, prefetch } = task
  const publishing = await amqplib.connect(url, { noDelay: true })
  const consuming = await amqplib.connect(url, { noDelay: true })
  const publisher = await publishing.createConfirmChannel()
  const consumer = await consuming.createChannel()
  await consumer.prefetch(prefetch)

  await measure(async () => {
    const consumed = new Promise((resolve, reject) => {
      let seen = 0
      consumer
        .consume(queue, (message) => {
          consumer.ack(message)
          seen += 1
          if (seen === messages) resolve(consumer.prefetch(1))
        })
        .catch(reject)
    })
    const confirmed = new Promise((resolve, reject) => {
      let sent = 0
      let settled = 0
      const onSettled = (error) => {
        if (error) reject(error)
        settled += 1
        if (settled === messages) resolve()
        else if (sent < messages) publishOne()
      }
      const publishOne = () => {
        sent += 1
        publisher.publish('', queue, body, { persistent: true }, onSettled)
      }
      while (sent < Math.min(window, messages)) publishOne()
    })
    await Promise.all([consumed, confirmed])
  })
  await publishing.close()
  await consuming.close()
}
