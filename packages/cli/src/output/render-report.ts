import { type ApplyReport, ChannelError } from 'warrenmq'
import type { StepResult } from 'warrenmq/operations'

/** What came of one step, in a line that begins with one word. */
export function renderResult({ step, outcome }: StepResult): string {
  const line = `${outcome.kind.padEnd(7)} ${renderStep(step)}`
  if (outcome.kind === 'failed') return `${line}: ${outcome.error.message}`
  return outcome.kind === 'kept' ? `${line}: ${outcome.reason}` : line
}

export function renderCounts({ done, kept, skipped, failed, impossible }: ApplyReport): string {
  const counts = { done, kept, skipped, failed, 'impossible in place': impossible.length }
  const shown = Object.entries(counts).filter(([name, count]) => count > 0 || name === 'done')
  return `${shown.map(([name, count]) => `${count} ${name}`).join(', ')}.`
}

/** The ways out of what the broker refused, each once. */
export function renderHints({ results }: ApplyReport): readonly string[] {
  const codes = results.flatMap(({ outcome }) =>
    outcome.kind === 'failed' && outcome.error instanceof ChannelError ? [outcome.error.replyCode] : [],
  )
  return Object.entries(hints).flatMap(([code, hint]) => (codes.includes(Number(code)) ? [hint] : []))
}

const hints = {
  403: 'The user needs permission to configure these names, and to write to and read from what they are bound to: `rabbitmqctl set_permissions`.',
  404: 'Whatever was not found belongs to a failed step, or is created elsewhere: declare it, or create it first.',
  406: 'Objects that exist with other arguments cannot be changed in place: `warren plan` names the ways out.',
} as const

/** The report as a program reads it: one entry per step, an error by its code. */
export function renderReport({ results, ...counts }: ApplyReport): object {
  return { ...counts, results: results.map(describeResult) }
}

function describeResult({ step, outcome }: StepResult): object {
  const { kind, ...rest } = outcome
  const named = { step: renderStep(step), outcome: kind }
  if (outcome.kind !== 'failed') return { ...named, ...rest }
  return { ...named, error: { code: outcome.error.code, message: outcome.error.message } }
}

function renderStep(step: StepResult['step']): string {
  switch (step.kind) {
    case 'create-exchange':
      return `create exchange ${step.exchange.name}`
    case 'create-queue':
      return `create queue ${step.queue.name}`
    case 'delete-queue':
      return `delete queue ${step.queue}`
    case 'add-binding':
    case 'remove-binding': {
      const { source, destination, key } = step.binding
      const verb = step.kind === 'add-binding' ? 'add' : 'remove'
      return `${verb} binding ${source} -> ${destination}${key === '' ? '' : `, key ${key}`}`
    }
  }
}
