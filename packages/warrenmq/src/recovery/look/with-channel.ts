import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import type { Session } from '../../broker/amqp/session.ts'

/** Works on a channel of its own, which is closed whatever becomes of the work. */
export async function withChannel<Result>(
  session: Session,
  work: (channel: AmqpChannel) => Promise<Result>,
): Promise<Result> {
  const channel = await session.openChannel()
  try {
    return await work(channel)
  } finally {
    await channel.close()
  }
}
