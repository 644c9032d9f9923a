/** Numbers from 0 to 2^32 - 1 that look like chance; the same seed gives the same. */
export type SeededRandom = () => number

/** Mulberry32: small, fast and good enough where nothing secret depends on it. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}
