import { WireError } from '../errors.ts'
import { readTag } from './methods.ts'
import { readShortText } from './short-text.ts'

/** Where a message comes from, as basic.deliver says it. */
export interface DeliverMethod {
  /** The consumer that it is for. */
  readonly consumerTag: string
  /** Its number on the channel, from 1; what an ack refers to. */
  readonly deliveryTag: number
  /** It, or an earlier delivery of the same message, was not acknowledged before. */
  readonly isRedelivered: boolean
  /** Where it was published; empty for the default exchange. */
  readonly exchange: string
  /** The key it was published with. */
  readonly routingKey: string
}

/** Reads a short string; the same bytes as last time give the same string without decoding them again. */
export interface TextReader {
  read(bytes: Buffer, at: number): string
}

/**
 * A reader for `basic.deliver`, which is most of what a consumer receives. Its three strings hardly ever
 * change from one delivery to the next, so each is decoded only when it does.
 */
export function createDeliverReader(): (payload: Buffer) => DeliverMethod {
  const consumerTags = createTextReader()
  const exchanges = createTextReader()
  const routingKeys = createTextReader()
  return (payload) => {
    const tagAt = 5 + (payload[4] ?? 0)
    const exchangeAt = tagAt + 9
    const keyAt = exchangeAt + 1 + (payload[exchangeAt] ?? 0)
    if (keyAt + 1 + (payload[keyAt] ?? 0) !== payload.length) {
      throw new WireError({
        code: 'WIRE_TRUNCATED',
        detail: 'A basic.deliver does not end where its fields do',
        offset: 4,
      })
    }
    return {
      consumerTag: consumerTags.read(payload, 4),
      deliveryTag: readTag(payload, tagAt),
      isRedelivered: (payload[tagAt + 8]! & 1) === 1,
      exchange: exchanges.read(payload, exchangeAt),
      routingKey: routingKeys.read(payload, keyAt),
    }
  }
}

function createTextReader(): TextReader {
  let last: Buffer = Buffer.alloc(1)
  let text = ''
  return {
    read: (bytes, at) => {
      const end = at + 1 + bytes[at]!
      if (!isSame(last, bytes, at)) {
        // A copy: a view would keep the whole chunk alive for a few letters.
        last = Buffer.from(bytes.subarray(at, end))
        text = readShortText(bytes, at + 1, end)
      }
      return text
    },
  }
}

/** The first byte is the length, so equal prefixes of that length are equal strings. Four at a time takes half as long. */
function isSame(last: Buffer, bytes: Buffer, at: number): boolean {
  const { length } = last
  let index = 0
  for (; index + 3 < length; index += 4) {
    const there = at + index
    if (last[index] !== bytes[there] || last[index + 1] !== bytes[there + 1]) return false
    if (last[index + 2] !== bytes[there + 2] || last[index + 3] !== bytes[there + 3]) return false
  }
  for (; index < length; index += 1) if (last[index] !== bytes[at + index]) return false
  return true
}
