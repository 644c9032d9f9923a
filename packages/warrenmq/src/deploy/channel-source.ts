import type { AmqpChannel } from '../broker/amqp/channel.ts'

/** What can open a channel: a Session, or a connection. */
export interface ChannelSource {
  openChannel(): Promise<AmqpChannel>
}
