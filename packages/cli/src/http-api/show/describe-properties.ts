import { decodeProperties, type RawProperties, toPlainField } from 'warrenmq/operations'
import type { MessageProperties } from '../contract/contract.ts'

/**
 * All properties of a message but its headers. They are shown to whoever may see the message: like headers they are
 * names and times for those who route it, and no rule hides or masks them.
 */
export function describeProperties(raw: RawProperties): MessageProperties {
  const { timestamp, ...has } = decodeProperties(raw)
  return {
    contentType: has.contentType ?? null,
    contentEncoding: has.contentEncoding ?? null,
    deliveryMode: has.deliveryMode ?? null,
    priority: has.priority ?? null,
    correlationId: has.correlationId ?? null,
    replyTo: has.replyTo ?? null,
    expiration: has.expiration ?? null,
    messageId: has.messageId ?? null,
    timestamp: timestamp === undefined ? null : describeTime(timestamp),
    type: has.type ?? null,
    userId: has.userId ?? null,
    appId: has.appId ?? null,
    clusterId: has.clusterId ?? null,
  }
}

/** As a header with a time in it is read, so that both say the same of the same seconds. */
function describeTime(seconds: bigint): string {
  const time = toPlainField({ type: 'T', value: seconds })
  return time instanceof Date ? time.toISOString() : String(time)
}
