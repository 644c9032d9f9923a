import rascal from 'rascal'
import { measure, task } from './participant.mjs'

const { url, queue, messages, prefetch } = task
const broker = await rascal.BrokerAsPromised.create({
  vhosts: {
    '/': {
      connection: { url },
      queues: { [queue]: { assert: false } },
      subscriptions: { all: { queue, prefetch, contentType: undefined } },
    },
  },
})
broker.on('error', (error) => {
  throw error
})

await measure(async () => {
  let seen = 0
  let done
  const allSeen = new Promise((resolve) => {
    done = resolve
  })
  const subscription = await broker.subscribe('all')
  subscription.on('message', (_message, _content, ackOrNack) => {
    ackOrNack()
    seen += 1
    if (seen === messages) done()
  })
  await allSeen
  await subscription.cancel()
})
await broker.shutdown()
