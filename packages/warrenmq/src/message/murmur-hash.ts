/**
 * MurmurHash3, 32 bit. Short and well spread, for names of groups; not for anything that an attacker could
 * gain from.
 */
export function murmurHash(bytes: Uint8Array, seed: number): number {
  let hash = seed | 0
  const wholeBlocks = bytes.length & ~3
  for (let at = 0; at < wholeBlocks; at += 4) {
    const block = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    hash = Math.imul(rotate(hash ^ scramble(block), 13), 5) + 0xe6546b64
  }
  hash ^= scramble(tailOf(bytes, wholeBlocks))
  return finish(hash ^ bytes.length)
}

function tailOf(bytes: Uint8Array, from: number): number {
  return (bytes[from] ?? 0) | ((bytes[from + 1] ?? 0) << 8) | ((bytes[from + 2] ?? 0) << 16)
}

function scramble(block: number): number {
  return Math.imul(rotate(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593)
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}

function finish(value: number): number {
  const first = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35)
  return (second ^ (second >>> 16)) >>> 0
}
