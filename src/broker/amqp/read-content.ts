import { WireError } from '../../errors.ts'
import type { Body } from '../../wire/frame-writer.ts'
import type { RawProperties } from '../../wire/properties.ts'

/** A complete content: what follows a method that carries a message. */
export interface Content {
  readonly properties: RawProperties
  readonly body: Body
  readonly bodyBytes: number
}

/** Puts a message together from its header frame and body pieces. */
export interface ContentReader {
  /** A method that carries a message has arrived; `complete` is called when its message is whole. */
  expect(complete: (content: Content) => void): void
  header(payload: Buffer): void
  body(piece: Buffer): void
}

const empty = Buffer.alloc(0)

export function createContentReader({ maxBodyBytes }: { maxBodyBytes: number }): ContentReader {
  let complete: ((content: Content) => void) | undefined
  let properties: RawProperties | undefined
  let bodyBytes = 0
  let missing = 0
  let pieces: Buffer[] = []

  function finish(body: Body): void {
    const content = { properties: properties!, body, bodyBytes }
    const done = complete!
    complete = undefined
    properties = undefined
    pieces = []
    done(content)
  }

  return {
    expect: (next) => {
      if (complete) throw bad('A method arrived in the middle of a message')
      complete = next
    },
    header: (payload) => {
      if (!complete || properties) throw bad('A header frame arrived that no method announced')
      if (payload.length < 14) throw bad('A header frame is shorter than its fixed part')
      bodyBytes = payload.readUInt32BE(4) * 0x100000000 + payload.readUInt32BE(8)
      if (bodyBytes > maxBodyBytes) {
        throw new WireError({
          code: 'WIRE_TOO_LARGE',
          detail: `A message of ${bodyBytes} bytes is announced; the limit is ${maxBodyBytes}`,
          offset: 4,
        })
      }
      properties = payload.subarray(12)
      missing = bodyBytes
      if (missing === 0) finish(empty)
    },
    body: (piece) => {
      if (!properties || piece.length > missing) throw bad('A body frame arrived that no header announced')
      missing -= piece.length
      if (missing > 0) pieces.push(piece)
      else if (pieces.length === 0) finish(piece)
      else finish([...pieces, piece])
    },
  }
}

function bad(detail: string): WireError {
  return new WireError({ code: 'WIRE_BAD_FRAME', detail, offset: 0 })
}
