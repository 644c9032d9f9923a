import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeProperties } from '../../wire/properties.ts'
import { hashMessageId } from './hash-message-id.ts'

/** As receipts have always hashed ids: over the letters of the text. */
function hashLetters(text: string): number {
  let sum = 0x811c9dc5
  for (const letter of text.split('')) sum = Math.imul(sum ^ letter.charCodeAt(0), 0x01000193)
  return sum
}

test('the hash of an id is that of its letters, whatever they are and whatever stands around it', () => {
  const ids = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((id) => Buffer.byteLength(id) <= 255)
  fc.assert(
    fc.property(ids, fc.boolean(), (messageId, hasMore) => {
      const others = hasMore ? { contentType: 'text/plain', appId: 'shop', headers: Buffer.alloc(0) } : {}
      const properties = encodeProperties({ ...others, messageId })

      expect(hashMessageId(properties)).toBe(messageId === '' ? 0x811c9dc5 : hashLetters(messageId))
    }),
  )
})

test('a message without an id adds nothing', () => {
  expect(hashMessageId(encodeProperties({ appId: 'shop' }))).toBe(0)
})
