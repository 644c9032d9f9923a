import fc from 'fast-check'

/** A change to bytes. Places are fractions of the length, so that they stay valid while a case shrinks. */
export type Mutation =
  | { readonly kind: 'flip a bit'; readonly place: number; readonly bit: number }
  | { readonly kind: 'truncate'; readonly place: number }
  | { readonly kind: 'repeat a slice'; readonly place: number; readonly size: number }
  | { readonly kind: 'drop a slice'; readonly place: number; readonly size: number }
  | { readonly kind: 'insert'; readonly place: number; readonly bytes: Uint8Array }
  | { readonly kind: 'lie about a length'; readonly place: number; readonly length: number }
  | { readonly kind: 'spoil an end octet'; readonly place: number; readonly value: number }
  | { readonly kind: 'nest'; readonly place: number; readonly depth: number }

const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const size = fc.integer({ min: 1, max: 64 })
const octet = fc.integer({ min: 0, max: 255 })
const temptingLength = fc.oneof(
  fc.constantFrom(0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff),
  fc.integer({ min: 0, max: 300 }),
)

export const anyMutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant('flip a bit' as const), place, bit: fc.integer({ min: 0, max: 7 }) }),
  fc.record({ kind: fc.constant('truncate' as const), place }),
  fc.record({ kind: fc.constant('repeat a slice' as const), place, size }),
  fc.record({ kind: fc.constant('drop a slice' as const), place, size }),
  fc.record({
    kind: fc.constant('insert' as const),
    place,
    bytes: fc.uint8Array({ minLength: 1, maxLength: 12 }),
  }),
  fc.record({ kind: fc.constant('lie about a length' as const), place, length: temptingLength }),
  fc.record({ kind: fc.constant('spoil an end octet' as const), place, value: octet }),
  fc.record({ kind: fc.constant('nest' as const), place, depth: fc.integer({ min: 1, max: 200 }) }),
)

export function mutate(bytes: Buffer, mutations: readonly Mutation[]): Buffer {
  return mutations.reduce(mutateOnce, bytes)
}

function mutateOnce(bytes: Buffer, mutation: Mutation): Buffer {
  const at = Math.floor(mutation.place * bytes.length)
  switch (mutation.kind) {
    case 'flip a bit':
      return splice(bytes, at, 1, Buffer.from([(bytes[at] ?? 0) ^ (1 << mutation.bit)]))
    case 'truncate':
      return bytes.subarray(0, at)
    case 'repeat a slice':
      return splice(bytes, at, 0, bytes.subarray(at, at + mutation.size))
    case 'drop a slice':
      return splice(bytes, at, mutation.size, Buffer.alloc(0))
    case 'insert':
      return splice(bytes, at, 0, Buffer.from(mutation.bytes))
    case 'lie about a length':
      return splice(bytes, at, 4, uint32(mutation.length))
    case 'spoil an end octet': {
      const end = bytes.indexOf(0xce, at)
      return end === -1 ? bytes : splice(bytes, end, 1, Buffer.from([mutation.value]))
    }
    case 'nest':
      return splice(bytes, at, 0, nested(mutation.depth))
  }
}

/** Arrays in arrays, each with a length that is right. */
export function nested(depth: number): Buffer {
  const levels = Array.from({ length: depth }, (_, level) =>
    Buffer.concat([Buffer.from('A'), uint32(5 * (depth - 1 - level))]),
  )
  return Buffer.concat(levels)
}

function splice(bytes: Buffer, at: number, dropped: number, inserted: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + dropped)])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
