import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** Some bytes may unpack to gigabytes. */
const mostBytes = 1024 * 1024

const unpackers: Readonly<Record<string, typeof gunzipSync>> = {
  ...{ gzip: gunzipSync, 'x-gzip': gunzipSync, deflate: inflateSync, br: brotliDecompressSync },
}

/** A body as it was before its publisher packed it; undefined where it is not packed, or not as it says. */
export function unpackBody(body: Buffer, contentEncoding: string | undefined): Buffer | undefined {
  const name = contentEncoding?.trim().toLowerCase() ?? ''
  if (!Object.hasOwn(unpackers, name)) return undefined
  try {
    return unpackers[name]!(body, { maxOutputLength: mostBytes })
  } catch {
    return undefined // broken, as dead letters often are, or too large; the bytes themselves are still shown
  }
}
