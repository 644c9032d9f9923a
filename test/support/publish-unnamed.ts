import { encodeMessage } from '../../packages/warrenmq/src/publisher/outgoing-message.ts'
import type { Publisher } from '../../packages/warrenmq/src/publisher/publisher.ts'
import type { PlainTable } from '../../packages/warrenmq/src/wire/plain-fields.ts'
import { editProperties } from '../../packages/warrenmq/src/wire/properties.ts'

/** Publishes a message that does not say who it is: a publisher of ours else gives every message an id. */
export async function publishUnnamed(
  publisher: Publisher,
  message: { readonly key: string; readonly body: string; readonly headers: PlainTable },
): Promise<void> {
  const { messageId: _, ...encoded } = encodeMessage(message, { messageId: 'none', nowMs: 0 })
  const properties = editProperties(encoded.properties, { remove: ['messageId'] })
  const { kind } = await new Promise<{ kind: string }>((settle) =>
    publisher.publishEncoded({ ...encoded, messageId: undefined, properties }, settle),
  )
  if (kind !== 'confirmed') throw new Error(`A message without an id was ${kind}.`)
}
