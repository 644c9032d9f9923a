import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Undecoded } from './consumed-message.ts'
import { createDecoder, decodeJson } from './decoder.ts'

const order = { amount: -5 }
const json = Buffer.from(JSON.stringify(order))
const bom = Buffer.from([0xef, 0xbb, 0xbf])

function message(rawBody: Buffer, properties: Partial<Undecoded> = {}): Undecoded {
  return { rawBody, id: 'm1', headers: {}, ...properties } as Undecoded
}

function decode(rawBody: Buffer, properties: Partial<Undecoded> = {}): unknown {
  return createDecoder('work')(message(rawBody, properties))
}

const asJson = { contentType: 'application/json' }

describe('a body with a content type', () => {
  it.each([
    ['application/json', order],
    ['application/vnd.order+json; charset=utf-8', order],
    ['text/json', order],
    ['text/plain', '{"amount":-5}'],
    ['application/octet-stream', json],
    ['application/jsonish', json],
  ])('of %s is read as it says', (contentType, expected) => {
    expect(decode(json, { contentType })).toEqual(expected)
  })

  it('is read without its byte order mark', () => {
    expect(decode(Buffer.concat([bom, json]), asJson)).toEqual(order)
    expect(decode(Buffer.concat([bom, Buffer.from('ä')]), { contentType: 'text/plain' })).toBe('ä')
    expect(decodeJson(message(Buffer.concat([bom, json])))).toEqual(order)
  })

  it('that is not what it says is refused for good', () => {
    expect(() => decode(Buffer.from('{'), asJson)).toThrow(
      expect.objectContaining({ code: 'MESSAGE_UNDECODABLE', isPermanent: true }),
    )
  })
})

describe('a body without a content type', () => {
  it.each([
    ['{"amount":-5}', order],
    [' \n[1, 2]', [1, 2]],
    ['"a text"', 'a text'],
    ['\ufeff{"amount":-5}', order],
  ])('that is JSON beyond doubt is read as JSON: %j', (text, expected) => {
    expect(decode(Buffer.from(text))).toEqual(expected)
  })

  it.each([
    ['12345678901234567890'],
    ['true'],
    ['null'],
    ['hello'],
    ['{not JSON}'],
    ['{"amount":-5} and more'],
    [''],
  ])('that may be a text, or is one, stays bytes: %j', (text) => {
    expect(decode(Buffer.from(text))).toEqual(Buffer.from(text))
  })

  it('that is no UTF-8 stays bytes', () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')])
    expect(decode(bytes)).toBe(bytes)
  })

  it('and with an empty one is the same', () => {
    expect(decode(json, { contentType: '' })).toEqual(order)
  })

  it('is told to the process once for each queue', async () => {
    const warnings: (Error & { code?: string })[] = []
    const keep = (warning: Error) => {
      if (warning.message.includes('"orders')) warnings.push(warning)
    }
    process.on('warning', keep)
    onTestFinished(() => void process.off('warning', keep))
    const decoder = createDecoder('orders\u001b[2J')

    decoder(message(Buffer.from('bytes')))
    decoder(message(json))
    decoder(message(json))
    decoder(message(json, asJson))
    await new Promise((resolve) => setImmediate(resolve))

    expect(warnings.map(({ code }) => code)).toEqual(['WARREN_NO_CONTENT_TYPE'])
    expect(warnings[0]!.message).toContain('"orders\\u001b[2J"')
    expect(warnings[0]!.message).toContain("decode: 'json'")
  })
})

describe('a packed body', () => {
  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    [' GZIP ', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ])('of %s is unpacked', (contentEncoding, pack) => {
    const packed = pack(json)
    expect(decode(packed, { ...asJson, contentEncoding })).toEqual(order)
    expect(decode(packed, { contentEncoding })).toEqual(order)
    expect(decode(packed, { contentType: 'application/octet-stream', contentEncoding })).toEqual(json)
    expect(decodeJson(message(packed, { contentEncoding }))).toEqual(order)
  })

  it('that was packed twice is unpacked from the last to the first', () => {
    const packed = brotliCompressSync(gzipSync(json))
    expect(decode(packed, { ...asJson, contentEncoding: 'gzip, br' })).toEqual(order)
  })

  it.each(['utf-8', 'UTF8', 'identity', 'binary', ''])(
    'is none where its encoding is %j',
    (contentEncoding) => {
      expect(decode(json, { ...asJson, contentEncoding })).toEqual(order)
    },
  )

  it('that cannot be unpacked is refused for good, with what is wrong', () => {
    expect(() => decode(json, { ...asJson, contentEncoding: 'gzip' })).toThrow(
      expect.objectContaining({
        code: 'MESSAGE_UNDECODABLE',
        message: expect.stringMatching(/^The message "m1" is declared as gzip, but cannot be decompressed: /),
        isPermanent: true,
      }),
    )
  })

  it('that unpacks to more than 64 MiB is refused before it does', () => {
    const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024))
    expect(() => decode(bomb, { contentEncoding: 'gzip' })).toThrow(
      /decompresses to more than 67108864 bytes/,
    )
  })

  it('of an encoding that nobody here knows stays as it is, and is no JSON', () => {
    expect(() => decode(Buffer.from([1, 2]), { ...asJson, contentEncoding: 'zstd' })).toThrow(/is not JSON/)
  })
})

describe('a body in another charset than UTF-8', () => {
  it.each([
    ['application/json; charset=iso-8859-1', 'latin1'],
    ['application/json;charset="Windows-1252"', 'latin1'],
    ['application/json; charset=utf-16le', 'utf16le'],
    ['application/json; charset=UTF8', 'utf8'],
  ] as const)('is read as %s', (contentType, encoding) => {
    expect(decode(Buffer.from('{"name":"Zoë"}', encoding), { contentType })).toEqual({ name: 'Zoë' })
  })

  it('is text as it was written', () => {
    expect(decode(Buffer.from('Zoë', 'latin1'), { contentType: 'text/plain; charset=latin1' })).toBe('Zoë')
  })

  it('that is unknown is read if it is UTF-8 anyway, and refused if it is not', () => {
    const contentType = 'text/plain; charset=klingon'

    expect(decode(Buffer.from('Zoë'), { contentType })).toBe('Zoë')
    expect(() => decode(Buffer.from('Zoë', 'latin1'), { contentType })).toThrow(
      'The message "m1" declares the charset klingon, which Node does not support.',
    )
  })
})
