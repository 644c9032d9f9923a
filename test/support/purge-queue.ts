import type { AmqpChannel } from '../../packages/warrenmq/src/broker/amqp/channel.ts'

/** Empties a queue; gives how many messages that deleted. */
export async function purgeQueue(channel: AmqpChannel, queue: string): Promise<number> {
  const reply = await channel.call({ name: 'queue.purge', queue, noWait: false }, 'queue.purge-ok')
  return reply.messageCount
}
