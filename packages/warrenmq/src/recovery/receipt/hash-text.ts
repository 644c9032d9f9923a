/** FNV-1a over the letters: a number of 32 bits, with a sign. */
export function hashText(text: string): number {
  let sum = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193)
  }
  return sum
}
