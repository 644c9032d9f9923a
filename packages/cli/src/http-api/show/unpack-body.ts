import { unpack } from 'warrenmq/operations'

/** Some bytes may unpack to gigabytes. */
const mostBytes = 1024 * 1024

/** A body as it was before its publisher packed it; undefined where it is not packed, or not as it says. */
export function unpackBody(body: Buffer, contentEncoding: string | undefined): Buffer | undefined {
  try {
    return unpack(body, { contentEncoding, maxBytes: mostBytes })
  } catch {
    return undefined // broken, as dead letters often are, or too large; the bytes themselves are still shown
  }
}
