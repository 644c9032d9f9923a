import rascal from 'rascal'
import { body, measure, task } from './participant.mjs'

// The same work: fails twice, republished to the same queue 100 ms after each failure, then acknowledged.
const { url, messages, prefetch } = task
const queue = `storm-rascal-${process.pid}`
const broker = await rascal.BrokerAsPromised.create({
  vhosts: {
    '/': {
      connection: { url },
      publicationChannelPools: { confirmPool: { max: 10, min: 5 } },
      queues: { [queue]: { options: { durable: true, arguments: { 'x-queue-type': 'quorum' } } } },
      publications: { fill: { queue, confirm: true, options: { persistent: true } } },
      subscriptions: { all: { queue, prefetch } },
    },
  },
})
broker.on('error', (error) => {
  throw error
})
for (let from = 0; from < messages; from += 1000) {
  const count = Math.min(1000, messages - from)
  await Promise.all(
    Array.from({ length: count }, async () => {
      const publication = await broker.publish('fill', body)
      await new Promise((resolve, reject) => publication.on('success', resolve).on('error', reject))
    }),
  )
}

await measure(async () => {
  let handled = 0
  let done
  const allHandled = new Promise((resolve) => {
    done = resolve
  })
  const republish = { strategy: 'republish', defer: 100, attempts: 3 }
  const subscription = await broker.subscribe('all')
  subscription.on('message', (message, _content, ackOrNack) => {
    const failures = message.properties.headers?.rascal?.recovery?.[queue]?.republished ?? 0
    if (failures < 2) {
      ackOrNack(new Error('not yet'), republish)
      return
    }
    ackOrNack()
    handled += 1
    if (handled === messages) done()
  })
  await allHandled
  await subscription.cancel()
})
await broker.shutdown()
