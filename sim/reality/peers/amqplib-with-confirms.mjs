import amqplib from 'amqplib'
import { keepGoing, task, whenGone } from './peer-task.mjs'

// The same loop done with care: mandatory, a confirm, and only then the ack; what is refused goes back.
await keepGoing(async () => {
  const connection = await amqplib.connect(task.url, { heartbeat: 2 })
  const channel = await connection.createConfirmChannel()
  const gone = whenGone(connection, channel)
  const returned = new Set()
  channel.on('return', ({ properties }) => returned.add(properties.messageId))
  await channel.prefetch(task.prefetch)
  await channel.consume(task.source, (message) => {
    if (!message) return connection.close()
    const { messageId } = message.properties
    channel.sendToQueue(task.target, message.content, { ...message.properties, mandatory: true }, (error) => {
      try {
        if (error || returned.delete(messageId)) channel.nack(message)
        else channel.ack(message)
      } catch {
        // The channel is closed: the broker gives the message out again.
      }
    })
  })
  await gone
})
