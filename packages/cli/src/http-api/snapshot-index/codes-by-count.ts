/** Those that are there at all, the most frequent first. */
export function codesByCount(counts: Uint32Array): readonly number[] {
  const codes = Array.from(counts.keys()).filter((code) => counts[code]! > 0)
  return codes.sort((left, right) => counts[right]! - counts[left]! || left - right)
}
