import { isUtf8 } from 'node:buffer'
import { ConsumerError } from '../../errors.ts'
import { escapeLine } from '../../message/escape-text.ts'
import type { BodyDecoder, Undecoded } from './consumed-message.ts'
import { isTooLarge, unpack } from './unpack.ts'

/** A few bytes may unpack to gigabytes. */
const mostUnpackedBytes = 64 * 1024 * 1024

/**
 * JSON and text by content type, bytes if it says neither. Without a content type, a body that clearly is JSON is read
 * as JSON. Packed bodies are unpacked.
 */
export function createDecoder(queue: string): BodyDecoder {
  let isTold = false
  return (message) => {
    const { contentType = '' } = message
    if (/^(application|text)\/([\w.-]+\+)?json\b/i.test(contentType)) return decodeJson(message)
    const bytes = unpacked(message)
    if (/^text\//i.test(contentType)) return textOf(bytes, message)
    const guess = contentType === '' ? guessJson(bytes) : undefined
    if (guess === undefined) return bytes
    if (!isTold) warnOfGuess(queue)
    isTold = true
    return guess
  }
}

/** Decodes JSON whatever the content type says, for producers that set none. */
export const decodeJson: BodyDecoder = (message) => {
  const text = textOf(unpacked(message), message)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw undecodable(`${nameOf(message)} is not JSON: ${(cause as Error).message}.`, cause)
  }
}

/**
 * An object, a list or a text in quotes: nothing else begins and ends like one and is JSON from end to end. Numbers and
 * words may as well be texts, and a long number would lose digits, so they stay bytes.
 */
function guessJson(bytes: Buffer): unknown {
  if (!beginsLikeJson(bytes) || !isUtf8(bytes)) return undefined
  try {
    return JSON.parse(utf8Of(bytes))
  } catch {
    return undefined
  }
}

function beginsLikeJson(bytes: Buffer): boolean {
  let at = hasMark(bytes) ? 3 : 0
  while (whitespace.includes(bytes[at]!)) at += 1
  return openings.includes(bytes[at]!)
}

const whitespace: readonly number[] = [0x20, 0x09, 0x0a, 0x0d]
const openings: readonly number[] = [...Buffer.from('{["')]

/** In the charset that the content type names; UTF-8 if it names none. */
function textOf(bytes: Buffer, message: Undecoded): string {
  const [, charset] = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(message.contentType ?? '') ?? []
  if (charset === undefined || /^utf-?8$/i.test(charset)) return utf8Of(bytes)
  const decoder = decoderOf(charset)
  if (decoder) return decoder.decode(bytes)
  if (isUtf8(bytes)) return utf8Of(bytes)
  throw undecodable(
    `${nameOf(message)} declares the charset ${charset}, which Node does not support.`,
    undefined,
  )
}

function decoderOf(charset: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset)
  } catch {
    return undefined
  }
}

/** The text without the byte order mark that some writers put before it. */
function utf8Of(bytes: Buffer): string {
  return bytes.toString('utf8', hasMark(bytes) ? 3 : 0)
}

function hasMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

function unpacked(message: Undecoded): Buffer {
  const { rawBody, contentEncoding } = message
  if (contentEncoding === undefined) return rawBody
  try {
    return unpack(rawBody, { contentEncoding, maxBytes: mostUnpackedBytes }) ?? rawBody
  } catch (cause) {
    const problem = isTooLarge(cause)
      ? `decompresses to more than ${mostUnpackedBytes} bytes`
      : `is declared as ${contentEncoding}, but cannot be decompressed: ${(cause as Error).message}`
    throw undecodable(`${nameOf(message)} ${problem}.`, cause)
  }
}

function nameOf({ id }: Undecoded): string {
  return id === undefined ? 'The message' : `The message "${id}"`
}

function undecodable(message: string, cause: unknown): ConsumerError {
  return new ConsumerError({ code: 'MESSAGE_UNDECODABLE', message, isPermanent: true }, { cause })
}

function warnOfGuess(queue: string): void {
  const message =
    `Messages of "${queue}" come without a content type. Those that are a JSON object, list or text are read as JSON, others ` +
    "stay bytes. Let their publisher set contentType, or give the consumer decode: 'json' or a function that decodes."
  process.emitWarning(escapeLine(message), { code: 'WARREN_NO_CONTENT_TYPE' })
}
