import { InvalidArgumentError } from '../errors.ts'

/**
 * Reads a short string. RabbitMQ passes on names and keys that are not UTF-8, so bytes that are no text
 * become lone surrogates (0xff is U+DCFF), which no text has, and are written back as the bytes they were.
 */
export function readShortText(bytes: Buffer, start: number, end: number): string {
  return textOfUtf8(bytes, start, end) ?? escapeBytes(bytes.subarray(start, end))
}

/** The bytes of a short string with its length; `what` names it when it is too long for AMQP. */
export function encodeShortText(what: string, text: string): Buffer {
  const bytes = bytesOfText(text)
  if (bytes.length <= 255) return Buffer.concat([Buffer.from([bytes.length]), bytes])
  throw new InvalidArgumentError(
    `${what} has ${bytes.length} bytes; AMQP allows 255. It starts with ${JSON.stringify(text.slice(0, 40))}.`,
  )
}

/** The inverse of `readShortText`. */
export function bytesOfText(text: string): Buffer {
  return isEscaped(text) ? unescapeBytes(text) : Buffer.from(text, 'utf8')
}

/** True for text that stands for bytes which are not UTF-8. */
export function isEscaped(text: string): boolean {
  return escaped.test(text)
}

/** Text where the bytes are UTF-8, else undefined: a replacement character must never reach a queue. */
export function textOfUtf8(bytes: Buffer, start: number, end: number): string | undefined {
  const text = bytes.toString('utf8', start, end)
  if (!text.includes('\ufffd')) return text
  return Buffer.from(text, 'utf8').equals(bytes.subarray(start, end)) ? text : undefined
}

/** With the flag u it matches no half of a pair: only what `escapeBytes` made. */
const escaped = /[\udc80-\udcff]/u

function escapeBytes(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const character = characterAt(bytes, at)
    text += character ?? String.fromCharCode(0xdc00 + bytes[at]!)
    at += character === undefined ? 1 : Buffer.byteLength(character)
  }
  return text
}

function characterAt(bytes: Buffer, at: number): string | undefined {
  const lead = bytes[at]!
  const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  return at + size > bytes.length ? undefined : textOfUtf8(bytes, at, at + size)
}

function unescapeBytes(text: string): Buffer {
  const characters = Array.from(text, (character) =>
    isEscaped(character) ? Buffer.from([character.charCodeAt(0) - 0xdc00]) : Buffer.from(character, 'utf8'),
  )
  return Buffer.concat(characters)
}
