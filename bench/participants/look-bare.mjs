import { Session } from 'warrenmq/operations'
import { measure, task } from './participant.mjs'

// The least that a look can do: a bare channel that takes all messages, holds them and gives them back by closing.
// A consumer is sent 65,535 at most, so another takes over where that is not enough.
const { url, queue, messages } = task
const session = await Session.open(url, { name: 'bench bare look' })
const channel = await session.openChannel()
const mostAhead = 65_535

await measure(async () => {
  let seen = 0
  for (let left = messages; left > 0; left -= mostAhead) {
    const count = Math.min(left, mostAhead)
    await channel.setPrefetch(count)
    await new Promise((resolve, reject) => {
      const last = seen + count
      channel.events.on('closed', ({ error }) => reject(error))
      const onMessage = () => {
        seen += 1
        if (seen === last) resolve()
      }
      channel.consume(queue, onMessage).catch(reject)
    })
  }
  await channel.close()
})
await session.close()
