import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from 'node:zlib'

/**
 * A body as it was before its publisher packed it; undefined if `contentEncoding` names no packing, such as the
 * `utf-8` that many clients write there. Throws if the bytes are not what it says, or unpack to more than `maxBytes`.
 * @example
 * ```ts
 * const body = unpack(bytes, { contentEncoding: 'gzip', maxBytes: 1_048_576 })
 * ```
 */
export function unpack(
  body: Buffer,
  { contentEncoding, maxBytes }: { readonly contentEncoding: string | undefined; readonly maxBytes: number },
): Buffer | undefined {
  if (!contentEncoding) return undefined
  const names = contentEncoding.split(',').map((name) => name.trim().toLowerCase())
  if (!names.every((name) => Object.hasOwn(unpackers, name))) return undefined
  return names.reduceRight((bytes, name) => unpackers[name]!(bytes, { maxOutputLength: maxBytes }), body)
}

/** Was it only too large? */
export function isTooLarge(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
}

const unpackers: Readonly<Record<string, (body: Buffer, options: ZlibOptions) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateAny,
  br: brotliDecompressSync,
}

/** Some write deflate with the head of zlib, as the standard says, and some without. */
function inflateAny(body: Buffer, options: ZlibOptions): Buffer {
  const hasHead = body.length >= 2 && (body[0]! & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0
  return hasHead ? inflateSync(body, options) : inflateRawSync(body, options)
}
