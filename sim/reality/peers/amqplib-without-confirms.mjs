import amqplib from 'amqplib'
import { keepGoing, task, whenGone } from './peer-task.mjs'

// The loop of most scripts that "move the dead letters back": consume, publish, ack.
await keepGoing(async () => {
  const connection = await amqplib.connect(task.url, { heartbeat: 2 })
  const channel = await connection.createChannel()
  const gone = whenGone(connection, channel)
  await channel.prefetch(task.prefetch)
  await channel.consume(task.source, (message) => {
    if (!message) return connection.close()
    channel.sendToQueue(task.target, message.content, message.properties)
    channel.ack(message)
  })
  await gone
})
