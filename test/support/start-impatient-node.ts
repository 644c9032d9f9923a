import { type RabbitNode, startRabbitNode } from './start-rabbit-node.ts'

/** How long an impatient node waits for an acknowledgement, where others wait half an hour. */
export const consumerTimeoutMs = 10_000

/** A node that waits no longer than this, and looks twice a second. */
export async function startImpatientNode(): Promise<RabbitNode> {
  const node = await startRabbitNode({ config: { consumer_timeout: consumerTimeoutMs } })
  const settings = { channel_tick_interval: 500, quorum_tick_interval: 500 }
  const calls = Object.entries(settings).map(([key, ms]) => `application:set_env(rabbit, ${key}, ${ms})`)
  await node.rabbitmqctl('eval', `${calls.join(', ')}.`)
  return node
}
