import { defineTopology } from 'warrenmq'
import { compileTopology, planTopology, proveTopology } from 'warrenmq/operations'
import { measure, task } from './participant.mjs'

// Declare, compile, prove and diff against a broker that has it all: what `warren plan` does without the broker.
await measure(async () => {
  const queues = {}
  for (let index = 0; index < task.messages; index += 1) {
    queues[`service-${index}.orders`] = {
      bind: [{ exchange: 'orders.events', key: `order.${index}.*` }],
      retry: { delays: ['5s', '30s', '5m', '30m'], maxAttempts: 6 },
    }
  }
  const topology = defineTopology({ exchanges: { 'orders.events': { type: 'topic' } }, queues })
  const wanted = compileTopology(topology, { brokerVersion: '4.0.5' })
  const proof = proveTopology(wanted)
  const live = {
    ...wanted,
    queues: wanted.queues.map((queue) => ({ ...queue, messages: 0, consumers: 0 })),
    policies: [],
  }
  const plan = planTopology({ wanted, live })
  if (!proof.isProved || !plan.isEmpty)
    throw new Error('The topology should hold and the plan should be empty.')
})
