import amqplib from 'amqplib'
import { keepGoing, task, whenGone } from './peer-task.mjs'

// As RabbitMQ's guide advises, one connection publishes and another one consumes; still without confirms.
await keepGoing(async () => {
  const consuming = await amqplib.connect(task.url, { heartbeat: 2 })
  const publishing = await amqplib.connect(task.url, { heartbeat: 2 }).catch(async (error) => {
    await consuming.close()
    throw error
  })
  const gone = Promise.race([whenGone(consuming), whenGone(publishing)])
  const channel = await consuming.createChannel()
  const publisher = await publishing.createChannel()
  for (const each of [channel, publisher]) each.on('error', () => {})
  await channel.prefetch(task.prefetch)
  await channel.consume(task.source, (message) => {
    if (!message) return consuming.close()
    publisher.sendToQueue(task.target, message.content, message.properties)
    channel.ack(message)
  })
  await gone
  await Promise.allSettled([consuming.close(), publishing.close()])
})
