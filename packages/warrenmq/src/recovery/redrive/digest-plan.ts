import { hash } from 'node:crypto'
import { noteRequest } from '../request/note-request.ts'
import type { KeepReason } from './plan-redrive.ts'
import type { RedriveOptions } from './redrive-options.ts'

/** What of a plan its digest is made of. */
export interface DigestedPlan {
  readonly queue: string
  readonly moving: number
  readonly isWhole: boolean
  readonly missing: number
  readonly areRoutesProved: boolean
  readonly targets: readonly DigestedTarget[]
  readonly keeping: readonly { readonly reason: KeepReason; readonly count: number }[]
  readonly refusals: readonly string[]
}

interface DigestedTarget {
  readonly target: string
  readonly count: number
  readonly why: string
  readonly queues: readonly string[]
  readonly secondFailure: string | undefined
  readonly keyChanges: number
}

/** These say nothing of what would move, and change with every message that comes in. */
const passing: ReadonlySet<KeepReason> = new Set(['not-selected', 'over-the-limit'])

/**
 * Names a plan by what would be done: which messages were asked for, how many would go where by which proof, what is
 * refused. How it is done (canary, rate, stops, window, reason) is not in it, nor what stays because it was not asked for:
 * a queue that grows has the same plan for the messages that somebody chose.
 */
export function digestPlan(plan: DigestedPlan, options: RedriveOptions): string {
  const { queue, moving, isWhole, missing, areRoutesProved } = plan
  const { consuming, to = { kind: 'origin' }, attempts = 'reset', trustHeaders = true, limit } = options
  const { where, keys, edit } = options.request ? noteRequest(options.request) : {}
  const document = [
    ['plan 1', consuming.vhost, queue],
    [where ?? null, keys?.toSorted() ?? null, limit ?? null],
    [to, attempts, trustHeaders, edit ?? null],
    [moving, isWhole, missing, areRoutesProved],
    plan.targets.map(describeTarget).toSorted(),
    plan.keeping
      .filter(({ reason }) => !passing.has(reason))
      .map(({ reason, count }) => `${reason} ${count}`)
      .toSorted(),
    plan.refusals.toSorted(),
  ]
  return hash('sha256', JSON.stringify(document), 'hex')
}

function describeTarget({ target, count, why, queues, secondFailure, keyChanges }: DigestedTarget): string {
  return JSON.stringify([target, count, why, queues.toSorted(), secondFailure ?? null, keyChanges])
}
