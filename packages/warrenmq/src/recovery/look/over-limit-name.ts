const suffix = '.over-limit'
const longestNameBytes = 255

/** Where messages over a delivery limit are kept: by the policy that a refusal names, or by a run that must. */
export function overLimitName(queue: string): string {
  const characters = [...queue]
  while (Buffer.byteLength(characters.join('') + suffix) > longestNameBytes) characters.pop()
  return characters.join('') + suffix
}
