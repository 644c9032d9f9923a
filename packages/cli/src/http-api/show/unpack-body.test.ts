import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { unpackBody } from './unpack-body.ts'

const text = '{"amount":1}'

describe('a packed body', () => {
  it.each([
    ['gzip', gzipSync(text)],
    ['GZIP ', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
  ])('by %s is unpacked', (encoding, body) => {
    expect(unpackBody(body, encoding)?.toString()).toBe(text)
  })

  it.each<[string, string | undefined, Buffer]>([
    ['is not packed', undefined, Buffer.from(text)],
    ['is packed by something unknown', 'zstd', gzipSync(text)],
    ['names what every object has', 'constructor', gzipSync(text)],
    ['is not what it says', 'gzip', Buffer.from(text)],
    ['is cut off', 'gzip', gzipSync(text).subarray(0, 12)],
    ['unpacks to more than anybody reads', 'gzip', gzipSync(Buffer.alloc(2 * 1024 * 1024))],
  ])('that %s is left as it is', (_, encoding, body) => {
    expect(unpackBody(body, encoding)).toBeUndefined()
  })
})
