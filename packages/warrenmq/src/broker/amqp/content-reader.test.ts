import { describe, expect, it } from 'vitest'
import { type Content, createContentReader } from './content-reader.ts'

/** A header frame for a message of so many bytes, without properties. */
function headerOf(bodyBytes: number): Buffer {
  const payload = Buffer.alloc(14)
  payload.writeUInt16BE(60, 0)
  payload.writeBigUInt64BE(BigInt(bodyBytes), 4)
  return payload
}

function setup({ wants }: { wants: string }) {
  const read: [string, Content][] = []
  const oversized: [string, Content][] = []
  const reader = createContentReader({
    maxBodyBytes: 10,
    oversized: {
      isWanted: (announcement) => announcement === wants,
      complete: (announcement, content) => oversized.push([announcement as string, content]),
    },
  })
  const expectContent = (name: string) => reader.expect(name, (of, content) => read.push([of, content]))
  return { reader, expectContent, read, oversized }
}

describe('a content over the limit', () => {
  it('is read past without keeping its body, and the next one is read as ever', () => {
    const { reader, expectContent, read, oversized } = setup({ wants: 'large' })

    expectContent('large')
    reader.header(headerOf(11))
    for (const size of [4, 4, 3]) reader.body(Buffer.alloc(size))
    expectContent('small')
    reader.header(headerOf(10))
    for (const size of [6, 4]) reader.body(Buffer.alloc(size, 'x'))

    expect(oversized).toEqual([
      ['large', { properties: Buffer.alloc(2), body: Buffer.alloc(0), bodyBytes: 11 }],
    ])
    const pieces = [Buffer.from('xxxxxx'), Buffer.from('xxxx')]
    expect(read).toEqual([['small', { properties: Buffer.alloc(2), body: pieces, bodyBytes: 10 }]])
  })

  it('that comes in one piece is not kept either', () => {
    const { reader, expectContent, read, oversized } = setup({ wants: 'large' })

    expectContent('large')
    reader.header(headerOf(11))
    reader.body(Buffer.alloc(11))

    expect(oversized).toMatchObject([['large', { body: Buffer.alloc(0), bodyBytes: 11 }]])
    expect(read).toEqual([])
  })

  it('is an error where nobody wants it', () => {
    const { reader, expectContent } = setup({ wants: 'another' })

    expectContent('large')

    expect(() => reader.header(headerOf(11))).toThrow(/A message of 11 bytes is announced; the limit is 10/)
  })

  it('may have no more bytes than it announced', () => {
    const { reader, expectContent } = setup({ wants: 'large' })
    expectContent('large')
    reader.header(headerOf(11))

    expect(() => reader.body(Buffer.alloc(12))).toThrow(/A body frame arrived that no header announced/)
  })
})
