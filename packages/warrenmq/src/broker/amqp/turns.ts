/** One task at a time, in the order of asking. */
export interface Turns {
  take<Result>(task: () => Promise<Result>): Promise<Result>
}

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
