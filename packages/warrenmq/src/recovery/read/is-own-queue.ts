/**
 * Whether a queue is one of Warren's own: no consumer works on these, and a message put there would be read as a record.
 * @example
 * ```ts
 * if (isOwnQueue(queue)) throw new Error(`${queue} is one of Warren's own`)
 * ```
 */
export function isOwnQueue(queue: string): boolean {
  return /^warren\.(audit$|tasks$|notices$|server\.|lock[.~])/.test(queue)
}
