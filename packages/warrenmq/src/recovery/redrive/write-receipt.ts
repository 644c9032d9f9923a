import type { Interruption, Receipt, RedriveOutcome } from '../receipt/receipt.ts'
import { noteRequest } from '../request/note-request.ts'
import type { TakenMessage } from './redrive-event.ts'
import { readNumbers } from './redrive-numbers.ts'
import type { RedriveOptions } from './redrive-options.ts'
import type { RedriveRules } from './redrive-rules.ts'
import type { RedriveState } from './redrive-state.ts'
import type { RedriveTally } from './redrive-tally.ts'

export interface RedriveRecord {
  readonly id: string
  readonly options: Pick<RedriveOptions, 'queue' | 'by' | 'reason' | 'consuming' | 'request'>
  readonly startedAtMs: number
  readonly endedAtMs: number
  /** How long it took, whatever happened to the clock in the meantime. */
  readonly elapsedMs: number
  readonly outcome: RedriveOutcome
  readonly interruption: Interruption | undefined
  readonly state: RedriveState<TakenMessage>
  readonly tally: RedriveTally
  readonly rules: Pick<RedriveRules, 'areRoutesProved' | 'refusals'>
  readonly cameBack: number
  readonly digest: string
  /** The words of the error that ended it. */
  readonly problem: string | undefined
}

/** Adds up what a re-drive did. */
export function writeReceipt(record: RedriveRecord): Receipt {
  const { id, options, tally, rules, outcome, interruption, startedAtMs, endedAtMs, problem } = record
  const { queue, by, reason, consuming, request } = options
  const { counts, ending } = record.state
  const numbers = readNumbers(record.state)
  const { present, moved, failed, kept, stillThere, duplicatesPossible, missing, arrivals } = numbers
  const isCounted = missing !== undefined
  return {
    format: 'warren-receipt/1',
    id,
    queue,
    vhost: consuming.vhost,
    by,
    reason,
    ...(request && { request: noteRequest(request) }),
    ...(request?.where !== undefined && { where: request.where }),
    startedAt: new Date(startedAtMs).toISOString(),
    endedAt: new Date(endedAtMs).toISOString(),
    ratePerSecond: Math.round((moved * 1000) / Math.max(1, record.elapsedMs)),
    outcome,
    ...(outcome === 'interrupted' && interruption && { interruption }),
    present,
    moved,
    failed,
    kept,
    stillThere,
    published: numbers.published,
    ...(numbers.acksInDoubt > 0 && { acksInDoubt: numbers.acksInDoubt }),
    ...(numbers.unanswered > 0 && { unanswered: numbers.unanswered }),
    arrivals: arrivals ?? 0,
    cameBack: record.cameBack,
    missing: missing ?? 0,
    otherConsumers: counts.otherConsumers,
    duplicatesPossible,
    refreshed: counts.refreshed,
    ...(counts.inOverLimitQueue > 0 && { movedAside: counts.inOverLimitQueue }),
    isBalanced: missing === 0 && moved + failed + kept <= present && ending.count?.kind === 'counted',
    ...(!isCounted && { isCounted: false }),
    ...(!rules.areRoutesProved && { areRoutesProved: false }),
    targets: tally.targets,
    causes: [...tally.causes].map(([cause, { label, count }]) => ({ id: cause, label, moved: count })),
    failures: [...tally.failed].map(([kind, count]) => ({
      kind,
      count,
      targets: [...(tally.failedAt.get(kind) ?? [])],
    })),
    keptBecause: [...tally.kept].map(([why, count]) => ({ reason: why, count })),
    digest: record.digest,
    refusals: [...rules.refusals(), ...tally.problems, ...(problem === undefined ? [] : [problem])],
  }
}
