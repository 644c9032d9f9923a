import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sizesAllocatedBy } from '../../../../test/fuzz/observe-allocations.ts'
import { anyBytes, anyCuts, cutInto } from '../../../../test/support/arbitrary/bytes.ts'
import {
  anySending,
  contentOf,
  expectedOf,
  parse,
  streamOf,
} from '../../../../test/support/arbitrary/streams.ts'
import { WireError } from '../errors.ts'
import { createFrameParser, type FrameLimits, type FrameSink } from './frame-parser.ts'

const wide: FrameLimits = { bodyBytes: 131_064, headerBytes: 1_048_576 }

describe('a parser', () => {
  it('holds no more than the start of a frame while a body comes in', () => {
    const stream = streamOf([contentOf(Buffer.alloc(100_000))], { frameMax: 0 })
    const bodyAt = stream.length - 100_000 - 8
    const parser = createFrameParser(silent, wide)

    parser.push(stream.subarray(0, bodyAt))
    for (let at = bodyAt; at < stream.length; at += 1000) {
      parser.push(stream.subarray(at, at + 1000))
      expect(parser.heldBytes()).toBe(0)
    }
  })

  it('holds at most one frame within its limit, however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(anySending(2_000), { maxLength: 5 }), anyCuts, (sendings, cuts) => {
        const stream = streamOf(sendings, { frameMax: 0 })
        const limits = { bodyBytes: 6_000, headerBytes: 500 }

        const { mostHeldBytes } = parse(cutInto(stream, cuts), limits)

        expect(mostHeldBytes).toBeLessThanOrEqual(limits.headerBytes)
      }),
      { numRuns: 500 },
    )
  })

  it('makes no room for bytes that were only announced', () => {
    const announced = frameStart({ type: 2, size: wide.headerBytes })
    const allocations = sizesAllocatedBy(() => {
      const parser = createFrameParser(silent, wide)
      parser.push(announced)
      for (let count = 0; count < 3_000; count += 1) parser.push(Buffer.from([count & 0xff]))
      expect(parser.heldBytes()).toBe(3_000)
    })

    expect(Math.max(...allocations)).toBeLessThanOrEqual(4096)
  })

  it('copies a frame that comes byte by byte only as often as its room doubles', () => {
    const payload = Buffer.alloc(200_000, 7)
    const allocations = sizesAllocatedBy(() => {
      const parser = createFrameParser(silent, wide)
      parser.push(frameStart({ type: 2, size: payload.length }))
      for (let at = 0; at < payload.length; at += 1) parser.push(payload.subarray(at, at + 1))
    })

    expect(allocations.length).toBeLessThan(12)
    expect(Math.max(...allocations)).toBe(payload.length)
  })

  it.each([
    ['WIRE_BAD_FRAME', 'an unknown type', frameStart({ type: 4, size: 0 }), 0],
    ['WIRE_BAD_FRAME', "another protocol's greeting", Buffer.from('HTTP/1.1 400 Bad Request'), 0],
    [
      'WIRE_BAD_FRAME',
      'a wrong end octet',
      Buffer.concat([frameStart({ type: 8, size: 0 }), Buffer.from([0])]),
      7,
    ],
    ['WIRE_TOO_LARGE', 'a body over its limit', frameStart({ type: 3, size: wide.bodyBytes + 1 }), 0],
    ['WIRE_TOO_LARGE', 'a header over its limit', frameStart({ type: 2, size: wide.headerBytes + 1 }), 0],
    ['WIRE_TOO_LARGE', 'a method over its limit', frameStart({ type: 1, size: 0xffffffff }), 0],
    ['WIRE_TOO_LARGE', 'a heartbeat with a payload', frameStart({ type: 8, size: 1 }), 0],
  ])('refuses as %s a frame with %s, at its place in the stream', (code, _, bytes, at) => {
    const before = streamOf([contentOf(Buffer.from('fine'))], { frameMax: 0 })

    const { received, error } = parse([before, bytes], wide)

    expect(received).toEqual(expectedOf(contentOf(Buffer.from('fine'))))
    expect(error).toBeInstanceOf(WireError)
    expect(error).toMatchObject({ code, offset: before.length + at })
  })

  it('takes a frame exactly as large as its limits', () => {
    const limits = { bodyBytes: 100, headerBytes: 200 }
    const frames = [
      [3, 100],
      [2, 200],
      [1, 200],
    ] as const
    const stream = Buffer.concat(
      frames.flatMap(([type, size]) => [frameStart({ type, size }), Buffer.alloc(size), Buffer.from([0xce])]),
    )

    const { received, error } = parse([stream], limits)

    expect(error).toBeUndefined()
    expect(received.map((frame) => frame.kind)).toEqual(['body', 'header', 'method'])
  })

  it('reads and fails in the same way, at the same byte, however a broken stream is cut', () => {
    fc.assert(
      fc.property(anyBrokenStream, anyCuts, (stream, cuts) => {
        const whole = parse([stream], wide)
        const cut = parse(cutInto(stream, cuts), wide)
        const bytewise = parse(cutInto(stream, 'every byte'), wide)

        expect(outlineOf(cut)).toEqual(outlineOf(whole))
        expect(outlineOf(bytewise)).toEqual(outlineOf(whole))
      }),
      { numRuns: 400 },
    )
  })

  it('stays failed with the same error and holds nothing', () => {
    const parser = createFrameParser(silent, wide)
    const firstError = errorOf(() => parser.push(Buffer.from([9, 0, 0, 0, 0, 0, 0])))

    expect(errorOf(() => parser.push(streamOf([{ kind: 'heartbeat' }], { frameMax: 0 })))).toBe(firstError)
    expect(parser.heldBytes()).toBe(0)
  })

  it('stays failed when its sink threw, as the rest of the chunk is gone', () => {
    const refusal = new Error('refused by the sink')
    let heartbeats = 0
    const sink: FrameSink = {
      ...silent,
      method: () => {
        throw refusal
      },
      heartbeat: () => {
        heartbeats += 1
      },
    }
    const parser = createFrameParser(sink, wide)
    const method = { kind: 'method', channel: 1, method: { name: 'tx.select' } } as const
    const stream = streamOf([method, { kind: 'heartbeat' }], { frameMax: 0 })

    expect(errorOf(() => parser.push(stream))).toBe(refusal)
    expect(errorOf(() => parser.push(stream))).toBe(refusal)
    expect(heartbeats).toBe(0)
  })

  it('keeps to new limits from the next frame on', () => {
    const parser = createFrameParser(silent, { bodyBytes: 0, headerBytes: 10 })
    parser.setLimits({ bodyBytes: 5, headerBytes: 0 })

    parser.push(Buffer.concat([frameStart({ type: 3, size: 5 }), Buffer.from('hello'), Buffer.from([0xce])]))

    expect(() => parser.push(frameStart({ type: 3, size: 6 }))).toThrowError(/the limit is 5/)
  })
})

const silent: FrameSink = { method: () => {}, header: () => {}, body: () => {}, heartbeat: () => {} }

/** Valid frames, and behind them bytes of any kind. */
const anyBrokenStream = fc
  .tuple(fc.array(anySending(100), { maxLength: 3 }), anyBytes(60))
  .map(([sendings, noise]) => Buffer.concat([streamOf(sendings, { frameMax: 0 }), noise]))

function frameStart({ type, size }: { readonly type: number; readonly size: number }): Buffer {
  const start = Buffer.from([type, 0, 1, 0, 0, 0, 0])
  start.writeUInt32BE(size, 3)
  return start
}

function outlineOf({ received, error }: ReturnType<typeof parse>): unknown {
  return error instanceof WireError
    ? { received, code: error.code, offset: error.offset, message: error.message }
    : { received, error }
}

function errorOf(run: () => void): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}
