/** "1 message", "2 messages". The plural of a noun that does not end in "s" is given. */
export function formatCounted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}
