import { Session } from 'warrenmq/operations'
import { measure, task } from './participant.mjs'

const { url, queue, messages, prefetch } = task
const session = await Session.open(url, { name: 'bench warren' })
const channel = await session.openChannel()
await channel.setPrefetch(prefetch)

await measure(
  () =>
    new Promise((resolve, reject) => {
      let seen = 0
      channel.events.on('closed', ({ error }) => reject(error))
      channel
        .consume(queue, (delivery) => {
          delivery.ack()
          seen += 1
          if (seen === messages) resolve(channel.setPrefetch(1))
        })
        .catch(reject)
    }),
)
await session.close()
