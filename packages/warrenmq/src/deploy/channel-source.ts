import type { AmqpChannel } from '../broker/amqp/channel.ts'

/** What can open a channel: a Session, or a connection. */
export interface ChannelSource {
  /**
   * Opens a channel. The caller closes it.
   * @example
   * ```ts
   * const channel = await session.openChannel()
   * ```
   */
  openChannel(): Promise<AmqpChannel>
}
