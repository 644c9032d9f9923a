import { defineTopology, type Topology } from 'warrenmq'

const retry = { delays: [process.env.RETRY_DELAY ?? '5s'], maxRetries: 10 }

const topology: Topology<'wms-cincout' | 'wms-billing'> = defineTopology({
  layout: 'event-bus',
  exact: process.env.EXACT === 'yes',
  queues: { 'wms-cincout': { retry }, 'wms-billing': { retry } },
})

export default topology
