import { inspectQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import type { Delivery } from '../../../packages/warrenmq/src/broker/amqp/delivery.ts'
import { joinBody } from '../../../packages/warrenmq/src/broker/amqp/message.ts'
import type { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { decodeTable } from '../../../packages/warrenmq/src/wire/decode-table.ts'
import { type PlainTable, toPlainTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { decodeProperties, type Properties } from '../../../packages/warrenmq/src/wire/properties.ts'
import { eventually } from '../../support/eventually.ts'

/** A message as it lies in a queue. */
export interface Peeked {
  readonly properties: Properties
  readonly headers: PlainTable
  readonly body: Buffer
}

/** Looks at all messages of a queue that has no limit to how often they may be delivered, and puts them back. */
export async function peekQueue(session: Session, queue: string): Promise<readonly Peeked[]> {
  const channel = await session.openChannel()
  const { messageCount } = await inspectQueue(channel, queue)
  const messages: Peeked[] = []
  if (messageCount > 0)
    await new Promise<void>((resolve, reject) => {
      const take = (delivery: Delivery): void => {
        messages.push(readMessage(delivery))
        if (messages.length === messageCount) resolve()
      }
      channel.consume(queue, take).catch(reject)
    })
  await channel.close()
  await whenBack(session, { queue, messageCount })
  return messages
}

/** A quorum queue takes back what a channel held when it hears that the channel is gone, which is a moment later. */
async function whenBack(
  session: Session,
  { queue, messageCount }: { queue: string; messageCount: number },
): Promise<void> {
  const channel = await session.openChannel()
  await eventually(async () => (await inspectQueue(channel, queue)).messageCount === messageCount, {
    intervalMs: 5,
  })
  await channel.close()
}

function readMessage({ properties: raw, body }: Delivery): Peeked {
  const properties = decodeProperties(raw)
  const headers = properties.headers === undefined ? {} : toPlainTable(decodeTable(properties.headers))
  return { properties, headers, body: Buffer.from(joinBody(body)) }
}
