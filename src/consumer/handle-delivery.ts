import type { Clock } from '../clock.ts'
import type { WarrenError } from '../errors.ts'
import type { BrokerVersion } from '../message/broker-version.ts'
import type { PublishResult } from '../publisher/publish-result.ts'
import { readProperty } from '../wire/properties.ts'
import { type Admission, decideAdmission } from './decide-admission.ts'
import type { HoldingLimits } from './decide-delay.ts'
import { decideOutcome, type Outcome } from './decide-outcome.ts'
import type { Handler } from './handler.ts'
import type { HandlerResult } from './handler-result.ts'
import { pause } from './pause.ts'
import type { Run } from './run.ts'
import { runHandler } from './run-handler.ts'
import { type SettledOutcome, type Settlement, type SettlePorts, settleDelivery } from './settle-delivery.ts'
import type { StatusTable } from './status-tables.ts'

/** What handling needs of its consumer. */
export interface HandlingPorts extends SettlePorts {
  readonly handler: Handler
  readonly statusTable: StatusTable
  readonly poisonLimit: number | undefined
  readonly brokerVersion: () => BrokerVersion
  readonly holding: () => HoldingLimits
  readonly random: () => number
  readonly clock: Clock
  /** Aborted when the consumer waits no longer. */
  readonly ending: AbortSignal
  /** The outcome is known and not yet told. */
  readonly decided: (run: Run, outcome: Outcome) => void
  readonly settleFailed: (failed: FailedSettle) => void
}

export interface FailedSettle {
  readonly run: Run
  readonly outcome: SettledOutcome
  readonly result: PublishResult
  readonly nextAttemptMs: number
}

export interface Handled {
  readonly outcome: Outcome | SettledOutcome
  /** Undefined when there was nothing to tell: the delivery is kept. */
  readonly settlement: Settlement | undefined
}

/** The story of one message: admit, run, decide, settle. */
export async function handleDelivery(run: Run, ports: HandlingPorts): Promise<Handled> {
  const admission = admit(run, ports)
  if (admission.kind === 'recount') return settle(run, admission, ports)
  const result = await resultOf(run, admission, ports)
  run.give = undefined
  const outcome = decide(run, result, ports)
  ports.decided(run, outcome)
  if (outcome.kind === 'hold' || outcome.kind === 'requeue') return { outcome, settlement: undefined }
  return settle(run, outcome, ports)
}

/** The attempt that a run is, from 1. */
export function attemptOf({ failedBefore, localFailures }: Run): number {
  return failedBefore + localFailures + 1
}

/** Settles, and where a copy cannot be placed tries again with growing pauses until it is or the delivery is gone. */
export async function settle(run: Run, outcome: SettledOutcome, ports: HandlingPorts): Promise<Handled> {
  for (let failures = 1; ; failures += 1) {
    const settlement = await settleOnce(run, outcome, ports)
    if (settlement.kind !== 'unpublished') return { outcome, settlement }
    const nextAttemptMs = pauseAfter(failures)
    ports.settleFailed({ run, outcome, result: settlement.result, nextAttemptMs })
    await pause(nextAttemptMs, { clock: ports.clock, signal: ports.ending })
    if (ports.ending.aborted || !run.delivery.isCurrent) {
      return { outcome, settlement: { kind: 'stale', isPublished: false } }
    }
  }
}

async function settleOnce(run: Run, outcome: SettledOutcome, ports: HandlingPorts): Promise<Settlement> {
  try {
    return await settleDelivery(run, outcome, ports)
  } catch (error) {
    // A message that cannot be written anew is kept like one that cannot be published.
    const result = {
      kind: 'unknown',
      messageId: undefined,
      wasSent: false,
      cause: error as WarrenError,
    } as const
    return { kind: 'unpublished', result }
  }
}

function admit(run: Run, ports: HandlingPorts): Admission {
  return decideAdmission({
    headers: readProperty(run.delivery.properties, 'headers'),
    isRedelivered: run.delivery.isRedelivered,
    version: ports.brokerVersion(),
    poisonLimit: ports.poisonLimit,
    nowMs: ports.clock.now(),
  })
}

function resultOf(
  run: Run,
  admission: Exclude<Admission, { kind: 'recount' }>,
  ports: HandlingPorts,
): HandlerResult | Promise<HandlerResult> {
  switch (admission.kind) {
    case 'poisonous':
      return admission
    case 'early':
      return { kind: 'deferred', untilMs: admission.untilMs }
    case 'run': {
      if (run.refusal) return run.refusal
      const { maxAttempts, queue } = ports.flow
      return runHandler(run, ports.handler, { attempt: attemptOf(run), maxAttempts, queue })
    }
  }
}

function decide(run: Run, result: HandlerResult, ports: HandlingPorts): Outcome {
  const nowMs = ports.clock.now()
  return decideOutcome({
    result,
    attempt: attemptOf(run),
    flow: ports.flow,
    statusTable: ports.statusTable,
    holding: ports.holding(),
    isProbe: run.isProbe,
    nowMs,
    tooEarlyUntilMs: result.kind === 'status' ? tooEarlyUntil(run, nowMs, ports.random()) : nowMs,
  })
}

/** As the message says by `processAfterDelayMs`, counted from its timestamp; else one to five seconds from now. */
function tooEarlyUntil({ message }: Run, nowMs: number, random: number): number {
  const wished = Number(message.headers.processAfterDelayMs)
  const dueMs = (message.timestamp?.getTime() ?? nowMs) + wished
  return dueMs > nowMs ? dueMs : nowMs + 1_000 + Math.floor(random * 4_000)
}

/** Doubling from 100 ms to ten seconds. */
function pauseAfter(failures: number): number {
  return Math.min(10_000, 100 * 2 ** Math.min(failures - 1, 7))
}
