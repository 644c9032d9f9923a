import { methodIdOf } from '../../wire/methods.ts'
import { sizeOfShortText, writeShortText } from '../../wire/short-text.ts'

const deliverId = methodIdOf('basic.deliver')

/** The payload of basic.deliver. It is written once per message, so it is written by hand. */
export function encodeDeliver({
  consumerTag,
  deliveryTag,
  isRedelivered,
  exchange,
  routingKey,
}: {
  consumerTag: string
  deliveryTag: number
  isRedelivered: boolean
  exchange: string
  routingKey: string
}): Buffer {
  const payload = Buffer.allocUnsafe(
    13 +
      sizeOfShortText('The consumer tag', consumerTag) +
      sizeOfShortText('The exchange', exchange) +
      sizeOfShortText('The routing key', routingKey),
  )
  payload.writeUInt32BE(deliverId, 0)
  let at = writeShortText(payload, 4, consumerTag)
  payload.writeUInt32BE(Math.floor(deliveryTag / 0x100000000), at)
  payload.writeUInt32BE(deliveryTag >>> 0, at + 4)
  payload[at + 8] = isRedelivered ? 1 : 0
  at = writeShortText(payload, at + 9, exchange)
  writeShortText(payload, at, routingKey)
  return payload
}
