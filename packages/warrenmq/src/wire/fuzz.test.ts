import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzzWire } from '../../../../test/fuzz/fuzz-wire.ts'
import { fuzzTargets } from '../../../../test/fuzz/wire-cases.ts'

// The same cases on every run; `npm run fuzz` looks for new ones.
const totalCases = 200_000

describe('hostile bytes end in a WireError with its offset, in bounded memory and time', () => {
  it.each(fuzzTargets.map((target) => [target.title, target] as const))('%s', { timeout: 0 }, (_, target) => {
    const cases = Math.ceil((totalCases * target.share) / 100)

    expect(fuzzWire(target, { cases, seed: 1 })).toBe(cases)
  })

  it('and these are no fewer than 200,000 cases', () => {
    expect(fuzzTargets.reduce((sum, { share }) => sum + share, 0)).toBe(100)
  })
})

describe('the fuzz itself', () => {
  const targetOf = (read: (bytes: Buffer) => unknown) => ({
    title: 'planted',
    share: 100,
    cases: fc.constant(Buffer.from('bytes')).map((bytes) => ({ bytes, read: () => read(bytes) })),
  })

  it('sees a reader that never ends, and says what it read', () => {
    const endless = targetOf((bytes) => {
      while (bytes.length > 0);
    })

    expect(() => fuzzWire(endless, { cases: 1, seed: 1, hangAfterMs: 100 })).toThrowError(
      expect.objectContaining({
        message: expect.stringContaining(Buffer.from('bytes').toString('base64')),
        cause: expect.objectContaining({ code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' }),
      }),
    )
  })

  it.each<[string, (bytes: Buffer) => unknown]>([
    ['throws anything but a WireError', (bytes) => bytes.readUInt32BE(1_000)],
    ['makes a buffer of a length that was only announced', () => Buffer.alloc(1_000_000)],
  ])('sees a reader that %s', (_, read) => {
    expect(() => fuzzWire(targetOf(read), { cases: 1, seed: 1 })).toThrowError(/planted, seed 1/)
  })
})
