import { headerInteger } from '../../message/header-values.ts'
import { decideOutcome, type Outcome } from '../decide/decide-outcome.ts'
import { tooEarlyUntil } from '../run/handle-delivery.ts'
import type { HandlerResult } from '../run/handler-result.ts'
import { pause } from '../run/pause.ts'
import { consumerHeaders } from '../settle/consumer-headers.ts'
import type { SettledOutcome } from '../settle/settlement.ts'
import { runCallback } from './run-callback.ts'
import { settleMessage } from './settle-message.ts'
import { type Attendance, attemptOf, type WrappedRun } from './wrapped-run.ts'

/**
 * The story of one message: run, decide, settle. A wait in the process ends with another run, everything else with one
 * word to the broker, or with none because the channel went first.
 */
export async function attend(run: WrappedRun, attendance: Attendance): Promise<void> {
  const attempt = attemptOf(run)
  const outcome = await settleInTime(run, attendance)
  const { consumed: message } = run
  attendance.tell(
    outcome ? { kind: 'settled', message, attempt, outcome } : { kind: 'stale', message, attempt },
  )
}

/** What was settled; undefined where the channel went first. */
async function settleInTime(run: WrappedRun, attendance: Attendance): Promise<SettledOutcome | undefined> {
  const { options, placer } = attendance
  const { clock, longestHoldMs } = options
  for (;;) {
    const outcome = decide(run, await resultOf(run, attendance), attendance)
    if (outcome.kind !== 'hold' && outcome.kind !== 'requeue') return settleMessage(run, outcome, attendance)
    const untilMs = outcome.kind === 'hold' ? outcome.untilMs : outcome.atMs
    const lastMs = run.receivedAtMs + longestHoldMs
    await pause(Math.max(0, Math.min(untilMs, lastMs) - clock.now()), { clock, signal: placer.closed })
    if (outcome.kind === 'requeue' || untilMs >= lastMs)
      return settleMessage(run, { kind: 'give-back' }, attendance)
    if (placer.closed.aborted) return undefined
    if (outcome.why === 'no-way-out') run.localFailures += 1
  }
}

/** What was deferred may come back before its time, and waits on; the handler is run on everything else. */
async function resultOf(run: WrappedRun, attendance: Attendance): Promise<HandlerResult> {
  const untilMs = headerInteger(run.headers, consumerHeaders.deferredUntil) ?? 0
  if (untilMs > attendance.options.clock.now()) return { kind: 'deferred', untilMs }
  return runCallback(run, attendance)
}

function decide(run: WrappedRun, result: HandlerResult, { options, flow }: Attendance): Outcome {
  const { clock, shortHoldMs, longestHoldMs, statusTable, random } = options
  const nowMs = clock.now()
  return decideOutcome({
    result,
    attempt: attemptOf(run),
    flow,
    statusTable,
    holding: { shortMs: shortHoldMs, longestMs: longestHoldMs, hasRoom: true },
    isProbe: false,
    nowMs,
    tooEarlyUntilMs: tooEarlyUntil({ message: run.consumed }, nowMs, random()),
  })
}
