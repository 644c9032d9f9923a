import { defineMessages, defineTopology, type Topology, unchecked } from 'warrenmq'
import type { Order } from './order.js'

/** What the features tell each other. With a schema of zod or the like instead of `unchecked`, bodies would be checked. */
export const messages = defineMessages({
  OrderPlaced: { exchange: 'orders.events', key: 'order.placed', schema: unchecked<Order>() },
})

/** The exchange that all features share. Each feature declares its own queues, next to its consumers. */
export const sharedTopology: Topology<never, typeof messages> = defineTopology({
  exchanges: { 'orders.events': { type: 'topic' } },
  queues: {},
  messages,
})
