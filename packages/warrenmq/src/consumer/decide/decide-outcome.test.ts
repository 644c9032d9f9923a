import { describe, expect, it } from 'vitest'
import type { DelayTier } from '../../topology/queue-flow.ts'
import { statusTables } from '../http/status-tables.ts'
import type { HandlerResult } from '../run/handler-result.ts'
import { type Decision, decideOutcome, decideUnwritable, isTransientFailure } from './decide-outcome.ts'

const tier = (delayMs: number): DelayTier => ({
  delayMs,
  exchange: '',
  key: `q.${delayMs}`,
  queue: `q.${delayMs}`,
})
const tiers = [tier(5_000), tier(30_000), tier(300_000)]
const park = { kind: 'publish', exchange: 'q.dlq', key: undefined } as const

const tiered: Decision['flow'] = {
  retry: { kind: 'publish', tiers, scheduleMs: [5_000, 30_000, 300_000] },
  defer: { short: 'hold', tiers },
  park,
  maxAttempts: 4,
}
const rejecting: Decision['flow'] = {
  retry: { kind: 'reject', delayMs: 5_000, waitQueue: 'q.retry' },
  defer: { short: 'hold', tiers: [tier(5_000)] },
  park,
  maxAttempts: 4,
}
const unretried: Decision['flow'] = { ...tiered, retry: undefined, maxAttempts: 1 }
const plain: Decision['flow'] = { ...unretried, park: undefined, defer: { short: 'hold', tiers: [] } }

function decide(result: HandlerResult, more: Partial<Decision> = {}) {
  return decideOutcome({
    result,
    attempt: 1,
    flow: tiered,
    statusTable: statusTables.warren,
    holding: { shortMs: 1_000, longestMs: 100_000, hasRoom: true },
    isProbe: false,
    nowMs: 1_000_000,
    tooEarlyUntilMs: 1_000_500,
    ...more,
  })
}

const failure = { errorType: 'Error', errorMessage: 'no' }
const failed: HandlerResult = { kind: 'failed', failure, isPermanent: false }
const permanent: HandlerResult = { kind: 'failed', failure, isPermanent: true }
const asked = (afterMs?: number): HandlerResult => ({ kind: 'retry-asked', afterMs, reason: undefined })
const status = (code: number, retryAfterMs?: number): HandlerResult => ({
  kind: 'status',
  status: code,
  retryAfterMs,
  error: undefined,
})

describe('decideOutcome', () => {
  it('acknowledges what was handled', () => {
    expect(decide({ kind: 'handled' })).toEqual({ kind: 'acknowledge' })
  })

  it.each([
    [1, 5_000],
    [2, 30_000],
    [3, 300_000],
  ])('a failure of attempt %i waits %i ms in its tier', (attempt, delayMs) => {
    expect(decide(failed, { attempt })).toEqual({
      kind: 'retry',
      attempt,
      delay: { by: 'publish', delayMs, tier: tier(delayMs) },
      failure,
    })
  })

  it('the last delay repeats where there are more attempts than delays', () => {
    const flow = { ...tiered, maxAttempts: 9 }
    expect(decide(failed, { attempt: 8, flow })).toMatchObject({ delay: { delayMs: 300_000 } })
  })

  it.each([
    [1, 5_000],
    [5_000, 5_000],
    [5_001, 30_000],
    [299_999, 300_000],
    [9_000_000, 300_000],
  ])('a wish of %i ms takes the nearest tier not below it: %i ms', (afterMs, delayMs) => {
    expect(decide(asked(afterMs), { attempt: 3 })).toMatchObject({ kind: 'retry', delay: { delayMs } })
  })

  it('a reject loop has one delay, whatever is wished', () => {
    expect(decide(asked(60_000), { flow: rejecting })).toMatchObject({
      kind: 'retry',
      delay: { by: 'reject', delayMs: 5_000 },
    })
  })

  it.each([
    ['a failed last attempt', failed, { attempt: 4 }, 'attempts-exhausted'],
    ['a failure beyond the last attempt', failed, { attempt: 12 }, 'attempts-exhausted'],
    ['a failed last attempt of a reject loop', failed, { attempt: 4, flow: rejecting }, 'attempts-exhausted'],
    ['a retry asked at the last attempt', asked(1), { attempt: 4 }, 'attempts-exhausted'],
    ['any failure without a retry', failed, { flow: unretried }, 'attempts-exhausted'],
    ['a permanent error', permanent, {}, 'permanent-error'],
    ['a rejection', { kind: 'rejected', reason: 'no' } as const, {}, 'rejected-by-handler'],
    ['poison', { kind: 'poisonous', runsAlone: 10 } as const, {}, 'poison'],
    ['a 404', status(404), {}, 'refused-status'],
    ['a 503 at the last attempt', status(503), { attempt: 4 }, 'attempts-exhausted'],
    [
      'a body that is not JSON',
      { kind: 'failed', failure: { errorCode: 'MESSAGE_UNDECODABLE' }, isPermanent: true } as const,
      {},
      'undecodable',
    ],
    [
      'a body that fails its schema',
      { kind: 'failed', failure: { errorCode: 'MESSAGE_INVALID' }, isPermanent: true } as const,
      {},
      'invalid',
    ],
  ])('%s is dead-lettered', (_, result, more, reason) => {
    expect(decide(result as HandlerResult, more)).toMatchObject({ kind: 'dead-letter', reason, park })
  })

  it.each([failed, permanent, { kind: 'rejected', reason: 'no' } as const, status(500), status(404)])(
    'a plain queue holds what it can neither retry nor park: %j',
    (result) => {
      expect(decide(result, { flow: plain, attempt: 3 })).toMatchObject({
        kind: 'hold',
        why: 'no-way-out',
        untilMs: 1_004_000,
      })
    },
  )

  it('a probe that fails is held and costs no attempt, also at its last', () => {
    expect(decide(failed, { attempt: 4, isProbe: true })).toMatchObject({ kind: 'hold', why: 'probe-failed' })
    expect(decide(permanent, { isProbe: true })).toMatchObject({ kind: 'dead-letter' })
  })

  it.each([
    ['short', 1_000, {}, { kind: 'hold', untilMs: 1_001_000 }],
    ['past', -5, {}, { kind: 'hold', untilMs: 999_995 }],
    ['between tiers', 40_000, {}, { kind: 'defer', tier: tier(30_000), untilMs: 1_040_000 }],
    ['below every tier', 4_000, {}, { kind: 'hold', untilMs: 1_004_000 }],
    ['of a day', 86_400_000, {}, { kind: 'defer', tier: tier(300_000) }],
    ['of a day without a tier', 86_400_000, { flow: plain }, { kind: 'requeue', atMs: 1_100_000 }],
    ['of a minute without a tier', 60_000, { flow: plain }, { kind: 'hold', untilMs: 1_060_000 }],
  ])('a wait that is %s', (_, forMs, more, outcome) => {
    expect(decide({ kind: 'deferred', untilMs: 1_000_000 + forMs }, more)).toMatchObject(outcome)
    if (forMs >= 0) expect(decide({ kind: 'deferred', forMs }, more)).toMatchObject(outcome)
  })

  it('without room to hold, a short wait takes the first tier', () => {
    const holding = { shortMs: 1_000, longestMs: 100_000, hasRoom: false }
    expect(decide({ kind: 'deferred', forMs: 10 }, { holding })).toMatchObject({
      kind: 'defer',
      tier: tier(5_000),
    })
  })

  it('a layout that sleeps and requeues does so for every wait', () => {
    const flow: Decision['flow'] = { ...rejecting, defer: { short: 'sleep-and-requeue', tiers: [] } }
    expect(decide(status(425), { flow })).toEqual({ kind: 'requeue', atMs: 1_000_500 })
  })

  it('a Retry-After chooses the tier where the table honours it, and the time of a 425', () => {
    expect(decide(status(429, 20_000))).toMatchObject({ delay: { delayMs: 30_000 } })
    expect(decide(status(429, 20_000), { statusTable: statusTables['event-bus'] })).toMatchObject({
      delay: { delayMs: 5_000 },
    })
    expect(decide(status(425, 700))).toEqual({ kind: 'hold', why: 'deferred', untilMs: 1_000_700 })
    expect(decide(status(425, 700), { statusTable: statusTables['event-bus'] })).toMatchObject({
      untilMs: 1_000_500,
    })
  })

  it('a Retry-After that came as a header is read like any', () => {
    const answered: HandlerResult = { ...status(429), retryAfter: '20' } as HandlerResult
    expect(decide(answered)).toMatchObject({ delay: { delayMs: 30_000 } })
  })

  it.each([
    [999_999.2, 1_000_000],
    [40_000.5, 40_001],
    [1e300, 8.64e15 - 1_000_000],
  ])('a wait of %d ms ends at a whole millisecond that a date can be', (forMs, wholeMs) => {
    expect(decide({ kind: 'deferred', forMs })).toMatchObject({ kind: 'defer', untilMs: 1_000_000 + wholeMs })
  })
})

describe('an outcome that cannot be written down', () => {
  const unwritable = { attempt: 2, problem: 'too long' }

  it('becomes a dead letter with next to nothing on it', () => {
    expect(decideUnwritable({ ...unwritable, outcome: decide(failed), park })).toMatchObject({
      kind: 'dead-letter',
      reason: 'permanent-error',
      isBare: true,
      failure: { errorMessage: 'Its outcome "retry" could not be written into its headers: too long' },
    })
    const rejected = decide({ kind: 'rejected', reason: 'no' })
    expect(decideUnwritable({ ...unwritable, outcome: rejected, park })).toMatchObject({
      reason: 'rejected-by-handler',
    })
  })

  it('becomes nothing where there is no dead-letter queue, or where even that could not be written', () => {
    const outcome = decideUnwritable({ ...unwritable, outcome: decide(failed), park })!
    expect(decideUnwritable({ ...unwritable, outcome, park })).toBeUndefined()
    expect(decideUnwritable({ ...unwritable, outcome: decide(failed), park: undefined })).toBeUndefined()
  })
})

describe('the breaker counts', () => {
  it.each([
    [failed, {}, true],
    [failed, { attempt: 4 }, true],
    [failed, { isProbe: true }, true],
    [failed, { flow: plain }, true],
    [permanent, {}, false],
    [{ kind: 'handled' } as const, {}, false],
    [{ kind: 'deferred', forMs: 5 } as const, {}, false],
    [{ kind: 'rejected', reason: 'no' } as const, {}, false],
  ])('%j %j as a failure: %s', (result, more, isCounted) => {
    expect(isTransientFailure(decide(result, more))).toBe(isCounted)
  })
})
