/** Takes all steps one after the other; with what comes of them, and how many there were. */
export function allStepsOf<Result>(work: Iterator<undefined, Result>): { steps: number; result: Result } {
  for (let steps = 1; ; steps += 1) {
    const { done, value } = work.next()
    if (done) return { steps, result: value }
  }
}
