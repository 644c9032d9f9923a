import { defineTopology, type Topology } from 'warrenmq'

const retry = { delays: process.env.RETRY_DELAYS?.split(',') ?? ['30s', '5m', '30m'] }

const topology: Topology<'freeflow.user' | 'freeflow.document'> = defineTopology({
  // The other domains have their consumers elsewhere, and their delay queues all the same.
  layout: { name: 'freeflow', domains: ['auth', 'alarm', 'workflow', 'notification', 'audit'] },
  queues: {
    'freeflow.user': { retry },
    'freeflow.document': { retry },
  },
})

export default topology
