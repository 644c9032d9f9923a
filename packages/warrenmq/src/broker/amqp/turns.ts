/** One task at a time, in the order of asking. */
export interface Turns {
  /**
   * Runs the task when all that came before it are done.
   * @example
   * ```ts
   * const depth = await createTurns().take(() => depthOf(session, 'orders.dlq'))
   * ```
   */
  take<Result>(task: () => Promise<Result>): Promise<Result>
}

/**
 * Runs tasks one after the other, in the order in which they come.
 * @example
 * ```ts
 * const turns = createTurns()
 * await turns.take(() => depthOf(session, 'orders.dlq'))
 * ```
 */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return {
    take: (task) => {
      const turn = last.then(task)
      last = turn.catch(() => undefined)
      return turn
    },
  }
}
