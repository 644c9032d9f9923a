import { hash } from 'node:crypto'
import type { IncomingMessage } from '../broker/amqp/message.ts'
import { readProperty } from '../wire/properties.ts'

/** SHA-256 over a message's address, id and body: what a hop back to its queue leaves alone. */
export function digestMessage(message: IncomingMessage): Buffer {
  const id = readProperty(message.properties, 'messageId') ?? ''
  const head = Buffer.from(`${message.exchange}\0${message.routingKey}\0${id}\0`)
  const pieces = Buffer.isBuffer(message.body) ? [message.body] : message.body
  return hash('sha256', Buffer.concat([head, ...pieces]), 'buffer')
}

/** A digest over a set of messages, whatever their order: the sum of their digests. */
export interface SetDigest {
  add(digest: Buffer): void
  text(): string
}

export function createSetDigest(): SetDigest {
  const sums = new Uint32Array(8)
  return {
    add: (digest) => {
      for (let index = 0; index < 8; index += 1) sums[index]! += digest.readUInt32BE(index * 4)
    },
    text: () => [...sums].map((sum) => sum.toString(16).padStart(8, '0')).join(''),
  }
}
