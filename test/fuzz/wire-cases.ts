import fc from 'fast-check'
import { encodeTable } from '../../packages/warrenmq/src/wire/encode-table.ts'
import type { FrameLimits } from '../../packages/warrenmq/src/wire/frame-parser.ts'
import { methodIdOf } from '../../packages/warrenmq/src/wire/methods.ts'
import { captures } from '../fixtures/captures.ts'
import { anyBytes, anyCuts, cutInto } from '../support/arbitrary/bytes.ts'
import { anyFieldTable } from '../support/arbitrary/fields.ts'
import { methodNames } from '../support/arbitrary/methods.ts'
import { anySending, framesOf, streamOf } from '../support/arbitrary/streams.ts'
import { buildFrame } from '../support/build-frame.ts'
import { anyMutation, mutate, nested } from './mutations.ts'
import { readEverything, readMethod, readProperties, readTable } from './read-everything.ts'

/** One kind of hostile input: how it is made, and the reader that must stand it. */
export interface FuzzTarget {
  readonly title: string
  /** Out of 100 cases, how many are of this kind. */
  readonly share: number
  /** A case; `read` throws when a law is broken. `bytes` is what it reads, to be shown. */
  readonly cases: fc.Arbitrary<FuzzCase>
}

export interface FuzzCase {
  readonly bytes: Buffer
  readonly read: () => void
}

const anyLimits: fc.Arbitrary<FrameLimits> = fc.constantFrom(
  { bodyBytes: 131_064, headerBytes: 1_048_576 },
  { bodyBytes: 4_088, headerBytes: 4_088 },
  { bodyBytes: 64, headerBytes: 256 },
)
const someMutations = fc.array(anyMutation, { minLength: 1, maxLength: 4 })

/** Streams are made once and mutated often: making one costs as much as a hundred mutations. */
const structuredStreams = fc
  .sample(fc.array(anySending(200), { minLength: 1, maxLength: 2 }), { numRuns: 1_500, seed: 7 })
  .map((sendings) => streamOf(sendings, { frameMax: 0 }))

const structuredTables = fc
  .sample(anyFieldTable, { numRuns: 1_500, seed: 7 })
  .map((table) => encodeTable(table))

const capturedFrames = captures.map(({ stream }) => {
  const sizes = framesOf(stream).map(({ payload }) => payload.length + 8)
  return {
    stream,
    ends: sizes.map((_, index) => sizes.slice(0, index + 1).reduce((sum, size) => sum + size, 0)),
  }
})

/** Up to four frames in a row from a real connection. */
const capturedPiece = fc
  .tuple(fc.constantFrom(...capturedFrames), fc.nat(), fc.integer({ min: 1, max: 4 }))
  .map(([{ stream, ends }, start, count]) => {
    const first = start % ends.length
    return stream.subarray(first === 0 ? 0 : ends[first - 1], ends[Math.min(first + count, ends.length) - 1])
  })

const readStream = (bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<FuzzCase> =>
  fc
    .record({ bytes, cuts: anyCuts, limits: anyLimits })
    .map(({ bytes, cuts, limits }) => ({ bytes, read: () => readEverything(cutInto(bytes, cuts), limits) }))

const mutated = (bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> =>
  fc.tuple(bytes, someMutations).map(([original, mutations]) => mutate(original, mutations))

/** One payload is mutated and framed again as it should be, so that more than the parser gets to see it. */
const mutatedInside = (stream: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> =>
  fc.tuple(stream, fc.nat(), someMutations).map(([original, pick, mutations]) => {
    const frames = framesOf(original)
    return Buffer.concat(
      frames.map((frame, index) =>
        buildFrame(
          index === pick % frames.length ? { ...frame, payload: mutate(frame.payload, mutations) } : frame,
        ),
      ),
    )
  })

const withPrefix = (prefix: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> =>
  fc.tuple(prefix, anyBytes(80)).map((parts) => Buffer.concat(parts))

const anyDepth = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 100 }) },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 3_000 }) },
)
const anyMethodId = fc.constantFrom(...methodNames).map((name) => uint32(methodIdOf(name)))
const anyPropertyFlags = fc.nat({ max: 0xffff }).map((flags) => Buffer.from([flags >> 8, flags & 0xff]))
const anyFrameStart = fc
  .tuple(fc.constantFrom(1, 2, 3, 8), fc.nat({ max: 60 }))
  .map(([type, size]) => Buffer.from([type, 0, 1, 0, 0, 0, size]))

const anyStructuredStream = fc.constantFrom(...structuredStreams)
const asMethod = (bytes: Buffer): FuzzCase => ({ bytes, read: () => readMethod(bytes) })
const asProperties = (bytes: Buffer): FuzzCase => ({ bytes, read: () => readProperties(bytes) })
const asTable = (bytes: Buffer): FuzzCase => ({ bytes, read: () => readTable(bytes) })

export const fuzzTargets: readonly FuzzTarget[] = [
  { title: 'random bytes as a stream', share: 8, cases: readStream(withPrefix(anyFrameStart)) },
  { title: 'random bytes as a method', share: 8, cases: withPrefix(anyMethodId).map(asMethod) },
  { title: 'random bytes as properties', share: 8, cases: withPrefix(anyPropertyFlags).map(asProperties) },
  { title: 'random bytes as a field table', share: 6, cases: anyBytes(80).map(asTable) },
  {
    title: 'mutated field tables',
    share: 15,
    cases: mutated(fc.constantFrom(...structuredTables)).map(asTable),
  },
  { title: 'mutated frames of any shape', share: 12, cases: readStream(mutated(anyStructuredStream)) },
  {
    title: 'sound frames around mutated payloads',
    share: 12,
    cases: readStream(mutatedInside(anyStructuredStream)),
  },
  { title: 'mutated frames of real connections', share: 13, cases: readStream(mutated(capturedPiece)) },
  {
    title: 'real frames around mutated payloads',
    share: 13,
    cases: readStream(mutatedInside(capturedPiece)),
  },
  {
    title: 'tables in tables, and lies about them',
    share: 5,
    cases: fc
      .tuple(anyDepth, fc.array(anyMutation, { maxLength: 2 }))
      .map(([depth, mutations]) =>
        asTable(mutate(Buffer.concat([Buffer.from([0]), nested(depth)]), mutations)),
      ),
  },
]

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
