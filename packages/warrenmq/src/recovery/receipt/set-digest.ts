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
/** Node takes any encoding of a Buffer here; its types know only some. */
const twoBytes = 'utf16le' as 'binary'

/**
 * Ids and bodies are what a move to another queue leaves alone, so the set can be counted again where it went.
 */
export function createSetDigest(): SetDigest {
  const sums = new Uint32Array(lanes)
  return {
    add: ({ body, properties }) => {
      // As 16 characters of two bytes each: a Buffer for each would cost more than the hash, and so would more characters.
      const digest = hash('sha256', joinBody(body), twoBytes)
      const ofId = hashMessageId(properties)
      for (let lane = 0; lane < lanes; lane += 1) {
        const first = digest.charCodeAt(2 * lane)
        const second = digest.charCodeAt(2 * lane + 1)
        // The characters have their low byte first, and the words of a digest their high byte.
        const word = (first << 24) | ((first & 0xff00) << 8) | ((second & 0xff) << 8) | (second >>> 8)
        sums[lane]! += word + ofId
      }
    },
    text: () => Array.from(sums, (sum) => sum.toString(16).padStart(8, '0')).join(''),
  }
}
