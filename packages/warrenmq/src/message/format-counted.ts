/**
 * "1 message", "2 messages". The plural of a noun that does not end in "s" is given.
 * @example
 * ```ts
 * formatCounted(2, 'queue') // 2 queues
 * ```
 */
export function formatCounted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}
