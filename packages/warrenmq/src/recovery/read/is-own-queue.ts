/** Whether a queue is one of Warren's own: no consumer works on these, and a message put there would be read as a record. */
export function isOwnQueue(queue: string): boolean {
  return /^warren\.(audit$|tasks$|notices$|server\.|lock[.~])/.test(queue)
}
