import { expect } from 'vitest'
import { joinBody } from '../../../packages/warrenmq/src/broker/amqp/message.ts'
import type { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { eventually } from '../../support/eventually.ts'

/** What stands in a stream up to a record, by whoever may read it. */
export async function readStreamUntil(
  session: Session,
  stream: string,
  isLast: (body: string) => boolean,
): Promise<readonly { readonly properties: Buffer; readonly body: string }[]> {
  const channel = await session.openChannel()
  await channel.setPrefetch(1_000)
  const found: { readonly properties: Buffer; readonly body: string }[] = []
  await channel.consume(
    stream,
    ({ properties, body }) => found.push({ properties, body: joinBody(body).toString('utf8') }),
    { arguments: toFieldTable({ 'x-stream-offset': 'first' }) },
  )
  await eventually(() => expect(found.some(({ body }) => isLast(body))).toBe(true))
  await channel.close()
  return found
}
