import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import type { Delivery } from '../../broker/amqp/delivery.ts'
import type { ConsumerError } from '../../errors.ts'
import { toFieldTable } from '../../wire/plain-fields.ts'
import type { SettledConsumerOptions } from '../settle-consumer-options.ts'
import type { WayProver } from '../way-out/way-prover.ts'

/** What a consumer receives by, from the opening of its channel on. */
export interface Subscription {
  readonly channel: AmqpChannel
  /** Undefined until the broker has said that messages can come. */
  consumerTag: string | undefined
}

/** Asks for the messages of a queue, once it is sure that they can be settled. */
export async function subscribe({
  channel,
  way,
  options: { prefetch, priority },
  receive,
  onOversized,
}: {
  readonly channel: AmqpChannel
  readonly way: WayProver
  readonly options: Pick<SettledConsumerOptions, 'prefetch' | 'priority'>
  readonly receive: (delivery: Delivery) => void
  readonly onOversized: (delivery: Delivery) => void
}): Promise<{
  readonly consumerTag: string
  /** It has started although it is not known whether a failed message is kept. */
  readonly doubt: ConsumerError | undefined
}> {
  const doubt = await way.prove(channel)
  await channel.setPrefetch(prefetch)
  const args = priority === undefined ? {} : { arguments: toFieldTable({ 'x-priority': priority }) }
  const consumerTag = await channel.consume(way.queue, receive, { ...args, onOversized })
  return { consumerTag, doubt }
}
