import { InvalidArgumentError } from '../errors.ts'

/**
 * Reads a short string. RabbitMQ passes on names and keys that are not UTF-8, so bytes that are no text
 * become lone surrogates (0xff is U+DCFF), which no text has, and are written back as the bytes they were.
 * @example
 * ```ts
 * const name = readShortText(bytes, 0, bytes.length)
 * ```
 */
export function readShortText(bytes: Buffer, start: number, end: number): string {
  return textOfUtf8(bytes, start, end) ?? escapeBytes(bytes.subarray(start, end))
}

/** The bytes of a short string with its length; `what` names it when it is too long for AMQP. */
export function encodeShortText(what: string, text: string): Buffer {
  const bytes = Buffer.allocUnsafe(sizeOfShortText(what, text))
  writeShortText(bytes, 0, text)
  return bytes
}

/** The bytes `writeShortText` takes. Text that AMQP cannot carry is refused here. */
export function sizeOfShortText(what: string, text: string): number {
  const length = lengthOfText(text)
  if (length !== text.length && broken.test(text)) throw brokenText(what, text)
  if (length <= 255) return 1 + length
  throw new InvalidArgumentError(
    `${what} has ${length} bytes; AMQP allows 255. It starts with ${JSON.stringify(text.slice(0, 40))}.`,
  )
}

/** Writes a short string with its length and returns the offset behind it. The room must be there. */
export function writeShortText(bytes: Buffer, at: number, text: string): number {
  const length = isEscaped(text) ? unescapeBytes(text).copy(bytes, at + 1) : bytes.write(text, at + 1, 'utf8')
  bytes[at] = length
  return at + 1 + length
}

function lengthOfText(text: string): number {
  return isEscaped(text) ? unescapeBytes(text).length : Buffer.byteLength(text, 'utf8')
}

/**
 * The inverse of `readShortText`.
 * @example
 * ```ts
 * const bytes = bytesOfText('orders')
 * ```
 */
export function bytesOfText(text: string): Buffer {
  return isEscaped(text) ? unescapeBytes(text) : Buffer.from(text, 'utf8')
}

/** True for text that stands for bytes which are not UTF-8. */
export function isEscaped(text: string): boolean {
  // Plain ASCII is nearly all there is, and it has as many bytes as letters.
  return Buffer.byteLength(text, 'utf8') !== text.length && escaped.test(text)
}

/**
 * Text where the bytes are UTF-8, else undefined: a replacement character must never reach a queue.
 * @example
 * ```ts
 * const text = textOfUtf8(bytes, 0, bytes.length)
 * ```
 */
export function textOfUtf8(bytes: Buffer, start: number, end: number): string | undefined {
  const text = bytes.toString('utf8', start, end)
  if (!text.includes('\ufffd')) return text
  return Buffer.from(text, 'utf8').equals(bytes.subarray(start, end)) ? text : undefined
}

/** Are they the same bytes on the wire? Escaped ones may spell a letter, and come back as that letter. */
export function isSameText(one: string, other: string): boolean {
  return one === other || (isEscaped(one) && unescapeBytes(one).equals(bytesOfText(other)))
}

/** With the flag u it matches no half of a pair: only what `escapeBytes` made. */
const escaped = /[\udc80-\udcff]/u
/** Every other half of a pair: UTF-8 has no bytes for it, and Node would write a replacement character. */
const broken = /[\ud800-\udc7f\udd00-\udfff]/u

function brokenText(what: string, text: string): InvalidArgumentError {
  return new InvalidArgumentError(
    `${what} is ${JSON.stringify(text.slice(0, 40))}, with half a character in it (one half of a surrogate pair). Do not cut text inside a character.`,
  )
}

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
