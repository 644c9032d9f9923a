import { WireError } from '../../errors.ts'
import type { Body } from '../../wire/frame-writer.ts'
import type { RawProperties } from '../../wire/properties.ts'
import { unexpectedError } from './unexpected-error.ts'

/** A complete content: what follows a method that carries a message. */
export interface Content {
  /** Properties and headers, as encoded bytes. */
  readonly properties: RawProperties
  /** In the pieces in which it arrived. */
  readonly body: Body
  /** The length of the body in bytes. */
  readonly bodyBytes: number
}

/** Called with the method that announced a message and the message itself. */
export type OnContent<Announcement> = (announcement: Announcement, content: Content) => void

/** Who is told of messages over the limit. Their bodies are thrown away as they come, so `body` is empty. */
export interface OversizedContents {
  /** Where it is not, the content is an error, and with it ends the connection. */
  isWanted(announcement: unknown): boolean
  readonly complete: OnContent<unknown>
}

/** Puts a message together from its header frame and body pieces. */
export interface ContentReader {
  /** A method that carries a message has arrived. The callback is a shared one, so that no message makes its own. */
  expect<Announcement>(announcement: Announcement, complete: OnContent<Announcement>): void
  header(payload: Buffer): void
  body(piece: Buffer): void
}

const empty = Buffer.alloc(0)
/** A body in crumbs costs a view for each, and each keeps all that was read with it: so many small ones are joined. */
const crumbBytes = 1024
const joinedCrumbs = 128

export function createContentReader({
  maxBodyBytes,
  oversized,
}: {
  readonly maxBodyBytes: number
  readonly oversized?: OversizedContents
}): ContentReader {
  let complete: OnContent<unknown> | undefined
  let announcement: unknown
  let properties: RawProperties | undefined
  let bodyBytes = 0
  let missing = 0
  let pieces: Buffer[] | undefined
  let crumbs = 0
  let isOversized = false

  function keep(piece: Buffer): void {
    pieces ??= []
    pieces.push(piece)
    crumbs = piece.length < crumbBytes ? crumbs + 1 : 0
    if (crumbs < joinedCrumbs) return
    pieces.push(Buffer.concat(pieces.splice(-joinedCrumbs)))
    crumbs = 0
  }

  function finish(body: Body): void {
    const done = isOversized ? oversized!.complete : complete!
    const content = { properties: properties!, body, bodyBytes }
    complete = undefined
    properties = undefined
    pieces = undefined
    crumbs = 0
    isOversized = false
    done(announcement, content)
  }

  return {
    expect: (next, onContent) => {
      if (complete) throw unexpectedError('A method arrived in the middle of a message')
      announcement = next
      complete = onContent as OnContent<unknown>
    },
    header: (payload) => {
      if (!complete || properties) throw unexpectedError('A header frame arrived that no method announced')
      if (payload.length < 14) throw tooShort()
      bodyBytes = payload.readUInt32BE(4) * 0x100000000 + payload.readUInt32BE(8)
      isOversized = bodyBytes > maxBodyBytes
      if (isOversized && !oversized?.isWanted(announcement)) throw tooLarge(bodyBytes, maxBodyBytes)
      properties = payload.subarray(12)
      missing = bodyBytes
      if (missing === 0) finish(empty)
    },
    body: (piece) => {
      if (!properties || piece.length > missing)
        throw unexpectedError('A body frame arrived that no header announced')
      missing -= piece.length
      if (missing === 0 && pieces === undefined) {
        finish(isOversized ? empty : piece)
        return
      }
      if (isOversized) return
      keep(piece)
      if (missing === 0) finish(pieces!)
    },
  }
}

function tooLarge(bodyBytes: number, maxBodyBytes: number): WireError {
  const detail = `A message of ${bodyBytes} bytes is announced; the limit is ${maxBodyBytes}`
  return new WireError({ code: 'WIRE_TOO_LARGE', detail, offset: 4, oversized: 'body' })
}

function tooShort(): WireError {
  return new WireError({
    code: 'WIRE_TRUNCATED',
    detail: 'A header frame is shorter than its fixed part',
    offset: 0,
  })
}
