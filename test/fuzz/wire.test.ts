import { describe, expect, it } from 'vitest'
import { fuzzWire } from './fuzz-wire.ts'
import { fuzzTargets } from './wire-cases.ts'

// WARREN_FUZZ_CASES says how many, WARREN_FUZZ_SEED repeats a run.
const totalCases = Number(process.env.WARREN_FUZZ_CASES ?? 2_000_000)
const seed = Number(process.env.WARREN_FUZZ_SEED ?? Date.now() % 1_000_000_000)

describe(`hostile bytes end in a WireError with its offset (${totalCases} cases from seed ${seed})`, () => {
  it.each(fuzzTargets.map((target) => [target.title, target] as const))('%s', { timeout: 0 }, (_, target) => {
    const cases = Math.ceil((totalCases * target.share) / 100)

    expect(fuzzWire(target, { cases, seed })).toBe(cases)
  })
})
