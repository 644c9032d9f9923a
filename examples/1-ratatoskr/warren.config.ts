import { defineTopology, type Topology } from 'warrenmq'

const topology: Topology<'my-service.events'> = defineTopology({
  layout: 'ratatoskr',
  exchanges: { 'shop.events': { type: 'topic' } },
  queues: {
    'my-service.events': {
      bind: [{ exchange: 'shop.events', key: 'order.*' }],
      // RetryDelay and MaxRetries of the service.
      retry: { delays: [process.env.RETRY_DELAY ?? '30s'], maxRetries: 3 },
    },
  },
})

export default topology
