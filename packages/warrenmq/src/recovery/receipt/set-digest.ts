import { hash } from 'node:crypto'
import { type IncomingMessage, joinBody } from '../../broker/amqp/message.ts'
import { hashMessageId } from './hash-message-id.ts'

/** A digest over a set of messages, whatever their order: the sum of the digests of their ids and bodies. */
export interface SetDigest {
  add(message: Pick<IncomingMessage, 'body' | 'properties'>): void
  /** 64 hexadecimal digits. */
  text(): string
}

const lanes = 8

/**
 * Ids and bodies are what a move to another queue leaves alone, so the set can be counted again where it went.
 */
export function createSetDigest(): SetDigest {
  const sums = new Uint32Array(lanes)
  return {
    add: ({ body, properties }) => {
      // As 32 characters of a byte each: a Buffer for each would cost more than the hash.
      const digest = hash('sha256', joinBody(body), 'binary')
      const ofId = hashMessageId(properties)
      for (let lane = 0; lane < lanes; lane += 1) sums[lane]! += wordAt(digest, lane * 4) + ofId
    },
    text: () => Array.from(sums, (sum) => sum.toString(16).padStart(8, '0')).join(''),
  }
}

function wordAt(text: string, at: number): number {
  return (
    (text.charCodeAt(at) << 24) |
    (text.charCodeAt(at + 1) << 16) |
    (text.charCodeAt(at + 2) << 8) |
    text.charCodeAt(at + 3)
  )
}
