import { type RawProperties, readProperty } from '../../wire/properties.ts'
import { placeOf } from '../../wire/splice-properties.ts'

/** FNV-1a over the letters of the message id: a number of 32 bits, with a sign; 0 if there is none. */
export function hashMessageId(properties: RawProperties): number {
  const place = placeOf(properties, 'messageId')
  if (!place) return 0
  const first = place.start + 1
  const { end } = place
  if (first === end) return start
  let sum = start | 0 // in doubles, because it has no sign, every step would take three times as long
  for (let at = first; at < end; at += 1) {
    const byte = properties[at]!
    // Letters of one byte are the same in bytes and in text, and to make a text of each id costs more than this loop.
    if (byte > 0x7f) return hashText(readProperty(properties, 'messageId')!)
    sum = Math.imul(sum ^ byte, prime)
  }
  return sum
}

function hashText(text: string): number {
  let sum = start
  for (let index = 0; index < text.length; index += 1) sum = Math.imul(sum ^ text.charCodeAt(index), prime)
  return sum
}

const start = 0x811c9dc5
const prime = 0x01000193
