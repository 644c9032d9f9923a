import { methodIdOf } from '../../wire/methods.ts'

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
    16 + Buffer.byteLength(consumerTag) + Buffer.byteLength(exchange) + Buffer.byteLength(routingKey),
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

function writeShortText(payload: Buffer, at: number, text: string): number {
  const length = payload.write(text, at + 1, 'utf8')
  payload[at] = length
  return at + 1 + length
}
