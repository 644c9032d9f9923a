import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sizesAllocatedBy } from '../../../../test/fuzz/observe-allocations.ts'
import { anyCuts, cutInto } from '../../../../test/support/arbitrary/bytes.ts'
import {
  anySending,
  bodyFramesOf,
  contentOf,
  expectedOf,
  framesOf,
  parse,
  publishMethod,
  send,
  streamOf,
  takeBytes,
} from '../../../../test/support/arbitrary/streams.ts'
import type { FrameLimits } from './frame-parser.ts'
import { type Batch, createFrameWriter, sizeOfBody } from './frame-writer.ts'
import { decodeMethod, encodeMethod } from './methods.ts'
import { encodeProperties, noProperties } from './properties.ts'

const wide: FrameLimits = { bodyBytes: 131_064, headerBytes: 1_048_576 }
const publish = encodeMethod(publishMethod)

describe('what one side writes, the other side reads', () => {
  it('whole and in order, however the bytes are cut on their way', () => {
    fc.assert(
      fc.property(fc.array(anySending(3_000), { maxLength: 6 }), anyCuts, (sendings, cuts) => {
        const stream = streamOf(sendings, { frameMax: 4096, headerMax: 0 })

        const { received, error } = parse(cutInto(stream, cuts), wide)

        expect(error).toBeUndefined()
        expect(received).toEqual(sendings.flatMap(expectedOf))
      }),
      { numRuns: 400 },
    )
  })

  it('even when every byte comes alone', () => {
    fc.assert(
      fc.property(fc.array(anySending(300), { maxLength: 4 }), (sendings) => {
        const stream = streamOf(sendings, { frameMax: 4096, headerMax: 0 })

        const { received, error } = parse(cutInto(stream, 'every byte'), wide)

        expect(error).toBeUndefined()
        expect(received).toEqual(sendings.flatMap(expectedOf))
      }),
      { numRuns: 200 },
    )
  })

  it('when bodies are so large that they are sent from where they are', () => {
    const large = Buffer.alloc(300_000, 'large body ')
    const body = [large.subarray(0, 1), large.subarray(1, 20_000), large.subarray(20_000)]
    const stream = streamOf([contentOf(large), contentOf(body)], { frameMax: 131_072 })

    const { received } = parse(cutInto(stream, [0.1, 0.5, 0.51]), wide)

    expect(received).toEqual([contentOf(large), contentOf(large)].flatMap(expectedOf))
  })
})

describe('a writer', () => {
  it('cuts bodies into full frames that keep to frame_max, and into no empty ones', () => {
    const anyFrameMax = fc.integer({ min: 9, max: 40_000 })
    fc.assert(
      fc.property(anyFrameMax, fc.nat({ max: 100_000 }), (frameMax, bodyBytes) => {
        const body = Buffer.alloc(Math.min(bodyBytes, 200 * (frameMax - 8)), 'body')
        const stream = streamOf([contentOf(body)], { frameMax, headerMax: 0 })

        const sizes = bodyFramesOf(stream).map(({ payload }) => payload.length)

        const last = body.length % (frameMax - 8)
        const full = Array.from({ length: Math.floor(body.length / (frameMax - 8)) }, () => frameMax - 8)
        expect(sizes).toEqual(last > 0 ? [...full, last] : full)
      }),
      { numRuns: 300 },
    )
  })

  it('cuts no body where there is no frame_max', () => {
    const stream = streamOf([contentOf(Buffer.alloc(500_000))], { frameMax: 0 })

    expect(bodyFramesOf(stream)).toHaveLength(1)
  })

  it('announces the size of the whole body, also of one that came in pieces', () => {
    const body = [Buffer.from('ab'), Buffer.alloc(0), Buffer.from('cde')]
    const [, header] = framesOf(streamOf([contentOf(body)], { frameMax: 4096 }))

    expect(header!.payload.readBigUInt64BE(4)).toBe(5n)
    expect(sizeOfBody(body)).toBe(5)
  })

  it('counts what it holds, and holds nothing once it is taken', () => {
    fc.assert(
      fc.property(fc.array(anySending(40_000), { maxLength: 5 }), (sendings) => {
        const writer = createFrameWriter({ frameMax: 0 })
        for (const sending of sendings) send(writer, sending)

        const pendingBytes = writer.pendingBytes()
        const taken = takeBytes(writer)

        expect(pendingBytes).toBe(taken.length)
        expect(writer.pendingBytes()).toBe(0)
        expect(writer.take().buffers).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  it('writes to the memory of a batch again only once the batch has left', () => {
    // Bodies that are copied, and enough of them to fill the writer's memory several times.
    const anyStep = fc.record({ sending: anySending(16_000), leaves: fc.boolean() })
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 20, maxLength: 60, size: 'max' }), (steps) => {
        const writer = createFrameWriter({ frameMax: 0 })
        const waiting: { batch: Batch; wanted: Buffer }[] = []
        const leave = ({ batch, wanted }: (typeof waiting)[number]) => {
          expect(Buffer.concat(batch.buffers).equals(wanted)).toBe(true)
          batch.release()
        }

        for (const { sending, leaves } of steps) {
          send(writer, sending)
          const batch = writer.take()
          waiting.push({ batch, wanted: Buffer.concat(batch.buffers) })
          if (leaves) leave(waiting.shift()!)
        }
        for (const batch of waiting) leave(batch)
      }),
      { numRuns: 40, endOnFailure: true }, // such a case is too large to shrink in good time
    )
  })

  it('makes next to no new memory for a steady stream whose batches leave', () => {
    const body = Buffer.alloc(10_000)
    const sizes = sizesAllocatedBy(() => {
      const writer = createFrameWriter({ frameMax: 0 })
      for (let batches = 0; batches < 50; batches += 1) {
        for (let count = 0; count < 20; count += 1) writer.content(1, publish, noProperties, body)
        writer.take().release()
      }
    })

    // Ten million bytes went through.
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(8 * 64 * 1024)
  })

  it('of a client refuses headers beyond frame_max before the first byte', () => {
    const writer = createFrameWriter({ frameMax: 4096 })
    const fits = encodeProperties({ headers: headerOfBytes(4096 - 8 - 12 - 2 - 4) })
    const tooLarge = encodeProperties({ headers: headerOfBytes(4096 - 8 - 12 - 2 - 4 + 1) })

    writer.content(1, publish, fits, Buffer.from('body'))
    const pendingBytes = writer.pendingBytes()

    expect(() => writer.content(1, publish, tooLarge, Buffer.from('body'))).toThrowError(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining('allows 4076'),
      }),
    )
    expect(writer.pendingBytes()).toBe(pendingBytes)
    expect(framesOf(takeBytes(writer)).map(({ payload }) => payload.length)).toContain(4096 - 8)
  })

  it('of a broker sends such headers, and a client reads them up to its limit', () => {
    const properties = encodeProperties({ headers: headerOfBytes(50_000) })
    const sending = { ...contentOf(Buffer.from('body')), properties }
    const stream = streamOf([sending], { frameMax: 4096, headerMax: 0 })

    const limits = { bodyBytes: 4088, headerBytes: 12 + properties.length }
    const read = parse([stream], limits)
    const refused = parse([stream], { ...limits, headerBytes: limits.headerBytes - 1 })

    expect(read.received).toEqual(expectedOf(sending))
    expect(refused.error).toMatchObject({ code: 'WIRE_TOO_LARGE', offset: 8 + publish.length })
  })

  it('refuses a method beyond frame_max and names it', () => {
    const writer = createFrameWriter({ frameMax: 4096 })
    const text = { type: 'S', value: 'x'.repeat(5_000) } as const
    const clientProperties = [{ name: 'long', value: text }]

    expect(() =>
      writer.method(0, {
        name: 'connection.start-ok',
        clientProperties,
        mechanism: 'PLAIN',
        response: Buffer.alloc(0),
        locale: 'en_US',
      }),
    ).toThrowError(/connection.start-ok has 50\d\d bytes; this connection allows 4088/)
    expect(writer.pendingBytes()).toBe(0)
  })

  it.each([1, 7, 8, -1])('is not made for frames of %i bytes, which have no room', (frameMax) => {
    expect(() => createFrameWriter({ frameMax })).toThrowError(/no room for a payload/)
  })

  it('writes acks as the method encoder does', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.boolean(), (deliveryTag, multiple) => {
        const [frame] = framesOf(
          streamOf([{ kind: 'ack', channel: 3, deliveryTag, multiple }], { frameMax: 0 }),
        )

        expect(decodeMethod(frame!.payload)).toEqual({ name: 'basic.ack', deliveryTag, multiple })
      }),
    )
  })
})

function headerOfBytes(size: number): Buffer {
  const table = Buffer.alloc(size, 'x')
  table[0] = 0
  table.write('S', 1)
  table.writeUInt32BE(size - 6, 2)
  return table
}
