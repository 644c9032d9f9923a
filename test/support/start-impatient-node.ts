import { type RabbitNode, startRabbitNode } from './start-rabbit-node.ts'

/** A node that waits so long for an acknowledgement and looks twice a second, where others wait half an hour. */
export async function startImpatientNode(consumerTimeoutMs: number): Promise<RabbitNode> {
  const node = await startRabbitNode({ config: { consumer_timeout: consumerTimeoutMs } })
  const settings = { channel_tick_interval: 500, quorum_tick_interval: 500 }
  const calls = Object.entries(settings).map(([key, ms]) => `application:set_env(rabbit, ${key}, ${ms})`)
  await node.rabbitmqctl('eval', `${calls.join(', ')}.`)
  return node
}
