import fc from 'fast-check'

/** Any bytes, most of them not text. */
export function anyBytes(maxLength: number): fc.Arbitrary<Buffer> {
  return fc.uint8Array({ maxLength }).map((array) => Buffer.from(array))
}

/** Text as people and programs write it: any character, no half of one. */
export const anyShortText: fc.Arbitrary<string> = fc.string({ unit: 'binary', maxLength: 60 })

/** Where to cut a stream: fractions of its length, so that cuts stay where they are while a case shrinks. */
export const anyCuts: fc.Arbitrary<readonly number[]> = fc.oneof(
  fc.constant([]),
  fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
)

/** The stream in the chunks a socket might give; with `everyByte` the worst it can do. */
export function cutInto(stream: Buffer, cuts: readonly number[] | 'every byte'): readonly Buffer[] {
  const places =
    cuts === 'every byte' ? [...stream.keys()] : cuts.map((cut) => Math.floor(cut * stream.length))
  const bounds = [0, ...places.toSorted((a, b) => a - b), stream.length]
  return bounds.slice(1).map((end, index) => stream.subarray(bounds[index], end))
}
