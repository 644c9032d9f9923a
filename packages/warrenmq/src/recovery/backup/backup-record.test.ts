import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyBytes, anyShortText } from '../../../../../test/support/arbitrary/bytes.ts'
import { anyProperties } from '../../../../../test/support/arbitrary/properties.ts'
import { encodeProperties, type RawProperties } from '../../wire/properties.ts'
import { readLine, toRecord, writeRecord } from './backup-record.ts'
import { packBlock, readBlockSize, unpackBlock } from './blocks.ts'

const anyMessage = fc.record({
  exchange: anyShortText,
  routingKey: anyShortText,
  properties: anyProperties.map((input): RawProperties => encodeProperties(input)),
  body: anyBytes(2_000),
})

describe('a record', () => {
  test('comes back byte for byte, whatever types its headers have', () => {
    fc.assert(
      fc.property(anyMessage, fc.nat(), (message, number) => {
        const record = toRecord({ ...message, bodyBytes: message.body.length }, { run: 2, number })

        expect(readLine(writeRecord(record).trimEnd())).toEqual({ kind: 'record', record })
      }),
    )
  })

  test('with one character changed is known to be damaged', () => {
    fc.assert(
      fc.property(anyMessage, fc.nat(), fc.nat(), (message, where, by) => {
        const line = writeRecord(
          toRecord({ ...message, bodyBytes: message.body.length }, { run: 1, number: 1 }),
        ).trimEnd()
        const at = where % line.length
        const other = String.fromCharCode(48 + (by % 75))
        const changed = line.slice(0, at) + other + line.slice(at + 1)
        fc.pre(line[at] !== other)

        const reading = readLine(changed)

        // Base64 has spare bits at its end, and JSON two spellings; what reads the same is the same.
        if (reading.kind !== 'invalid') expect(reading).toEqual(readLine(line))
      }),
      { numRuns: 500 },
    )
  })

  test.each(['', 'nonsense', '[]', 'null', '{"number":1}'])('%j is none', (line) => {
    expect(readLine(line).kind).toBe('invalid')
  })
})

describe('a block', () => {
  test('is a gzip member that knows its own length', async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes(5_000), anyBytes(100), async (content, behind) => {
        const block = await packBlock(content)

        expect(readBlockSize(Buffer.concat([block, behind]))).toBe(block.length)
        expect(unpackBlock(block)).toEqual(content)
        expect(gunzipSync(block)).toEqual(content)
      }),
    )
  })

  test('with one bit changed in it is known to be damaged', async () => {
    const content = Buffer.from('a message and another message')
    const block = await packBlock(content)
    for (let bit = 20 * 8; bit < block.length * 8; bit += 1) {
      const damaged = Buffer.from(block)
      damaged[bit >> 3]! ^= 1 << (bit & 7)
      const unpacked = unpackBlock(damaged)
      if (unpacked) expect(unpacked).toEqual(content)
    }
    expect(readBlockSize(Buffer.from('a text that is no backup at all'))).toBeUndefined()
  })

  test('is not unpacked beyond the length that it states', async () => {
    const block = await packBlock(Buffer.alloc(100_000))
    for (const stated of [0, 1, 99_999, 2 ** 32 - 1]) {
      block.writeUInt32LE(stated, block.length - 4)
      expect(unpackBlock(block)).toBeUndefined()
    }
  })
})
