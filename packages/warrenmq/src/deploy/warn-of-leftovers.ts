import { InvalidArgumentError } from '../errors.ts'
import { escapeLine } from '../message/escape-text.ts'
import type { ApplyReport } from './apply-plan.ts'
import type { LeftoverChoice } from './remove-leftover.ts'

const choices: readonly LeftoverChoice[] = ['keep', 'remove-empty']

/** JavaScript has no types, and a slip must not delete or keep by accident. */
export function refuseUnknownChoice(leftovers: LeftoverChoice): void {
  if (choices.includes(leftovers)) return
  throw new InvalidArgumentError(
    `apply({ leftovers: ${JSON.stringify(leftovers)} }) is not possible: use 'keep' or 'remove-empty'.`,
  )
}

/** Tells the process of each queue that was kept, because nobody may read the report of an apply at a service's start. */
export function warnOfLeftovers({ results }: Pick<ApplyReport, 'results'>): void {
  for (const { step, outcome } of results) {
    if (step.kind !== 'delete-queue' || outcome.kind !== 'kept') continue
    const sentence = `The wait queue "${step.queue}" is no longer declared and was kept: ${outcome.reason}. Its messages return to "${step.of}" by themselves. Once no replica of an older release runs, \`warren apply --leftovers remove-empty\` removes it.`
    process.emitWarning(escapeLine(sentence), { code: 'WARREN_LEFTOVER' })
  }
}
