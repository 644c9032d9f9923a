import rascal from 'rascal'
import { task } from './peer-task.mjs'

// Rascal reconnects by itself. A message is forwarded by its recovery strategy; with `republish`, its first failure
// sends it back into its queue, and it is forwarded when it comes again.
const recovery = { strategy: 'forward', publication: 'target' }
const republish = { strategy: 'republish', attempts: 2, defer: 50 }
const broker = await rascal.BrokerAsPromised.create({
  vhosts: {
    [task.vhost]: {
      connection: {
        url: task.url,
        options: { heartbeat: 2 },
        retry: { min: 50, max: 500, strategy: 'linear' },
      },
      queues: { [task.source]: { assert: false }, [task.target]: { assert: false } },
      publications: { target: { queue: task.target, confirm: true } },
      subscriptions: { source: { queue: task.source, prefetch: task.prefetch, contentType: 'text/plain' } },
    },
  },
})
broker.on('error', () => {})
const subscription = await broker.subscribe('source')
subscription.on('error', () => {})
subscription.on('message', (_message, _content, ackOrNack) => {
  ackOrNack(new Error('not here'), task.republishes ? [republish, recovery] : recovery)
})
