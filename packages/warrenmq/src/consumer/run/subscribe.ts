import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import type { Delivery } from '../../broker/amqp/delivery.ts'
import type { ConsumerError } from '../../errors.ts'
import { type PlainField, toFieldTable } from '../../wire/plain-fields.ts'
import type { SettledConsumerOptions } from '../settle-consumer-options.ts'
import type { WayProver } from '../way-out/way-prover.ts'

/** Asks for the messages of a queue, once it is sure that they can be settled. */
export async function subscribe({
  channel,
  way,
  options: { prefetch, priority, exclusive },
  offset,
  receive,
  onOversized,
}: {
  readonly channel: AmqpChannel
  readonly way: WayProver
  readonly options: Pick<SettledConsumerOptions, 'prefetch' | 'priority' | 'exclusive'>
  /** Where a stream is read from. */
  readonly offset: PlainField | undefined
  readonly receive: (delivery: Delivery) => void
  readonly onOversized: (delivery: Delivery) => void
}): Promise<{
  readonly consumerTag: string
  /** It has started although it is not known whether a failed message is kept. */
  readonly doubt: ConsumerError | undefined
}> {
  const doubt = await way.prove(channel)
  await channel.setPrefetch(prefetch)
  const args = toFieldTable({ 'x-priority': priority, 'x-stream-offset': offset })
  const consumerTag = await channel.consume(way.queue, receive, { arguments: args, exclusive, onOversized })
  return { consumerTag, doubt }
}
