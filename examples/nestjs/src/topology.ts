import { defineTopology, type Topology } from 'warrenmq'

/** The exchange that all features share. Each feature declares its own queues, next to its consumers. */
export const sharedTopology: Topology<never> = defineTopology({
  exchanges: { 'orders.events': { type: 'topic' } },
  queues: {},
})
