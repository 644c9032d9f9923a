import type { Clock } from '../../clock.ts'
import type { WarrenError } from '../../errors.ts'
import type { BrokerVersion } from '../../message/broker-version.ts'
import type { PublishResult } from '../../publisher/publish-result.ts'
import { type Admission, decideAdmission, type Recount } from '../decide/decide-admission.ts'
import { acknowledge, decideOutcome, decideUnwritable, type Outcome } from '../decide/decide-outcome.ts'
import type { HoldingLimits } from '../decide/decide-retry-delay.ts'
import type { Handler } from '../handler.ts'
import type { StatusTable } from '../http/status-tables.ts'
import type { RunTracing } from '../observe/run-tracing.ts'
import type { LimitRule } from '../settle/near-limit.ts'
import {
  type SettledOutcome,
  type Settlement,
  type SettlePorts,
  settleAtOnce,
  settleByPublish,
} from '../settle/settlement.ts'
import type { HandlerResult } from './handler-result.ts'
import { pause } from './pause.ts'
import { attemptOf, type Run } from './run.ts'
import { createContext, runHandler } from './run-handler.ts'
import type { StartGate } from './start-gate.ts'

/** What handling needs of its consumer. */
export interface HandlingPorts extends SettlePorts {
  readonly handler: Handler
  readonly statusTable: StatusTable
  readonly poisonLimit: number | undefined
  readonly limitRule: LimitRule
  readonly brokerVersion: () => BrokerVersion
  readonly holding: () => HoldingLimits
  readonly random: () => number
  readonly clock: Clock
  readonly tracing: RunTracing | undefined
  readonly gate: StartGate
  /** Aborted when the consumer waits no longer. */
  readonly ending: AbortSignal
  readonly beginsNow: (run: Run) => boolean
  /** The handler has answered: what `conclude` does, bound to these ports once and not for every message. */
  readonly answered: (run: Run, result: HandlerResult) => void
  /** The outcome is known and not yet told. */
  readonly decided: (run: Run, outcome: Outcome) => void
  readonly settleFailed: (failed: FailedSettle) => void
  /** It is to be run after all, when its turn comes, whatever its delivery limit. */
  readonly notRecounted: (run: Run) => void
  /** The story is over: the delivery is settled, or is to be kept. */
  readonly ended: (run: Run, handled: Handled) => void
}

export interface FailedSettle {
  readonly run: Run
  readonly outcome: SettledOutcome
  readonly result: PublishResult
  readonly nextAttemptMs: number
  /** Where it goes takes nothing. Else the message is at fault, or another one, and it may well take others. */
  readonly isPlaceAtFault: boolean
}

export interface Handled {
  readonly outcome: Outcome | SettledOutcome
  /** Undefined when there was nothing to tell: the delivery is kept. */
  readonly settlement: Settlement | undefined
}

/**
 * The story of one message: admit, run, decide, settle. Told by `ended` and not by a promise, because most messages
 * of a quick handler are acknowledged on the spot.
 */
export function handleDelivery(run: Run, ports: HandlingPorts): void {
  const admission = run.admission ?? admit(run, run.startedAtMs ?? run.receivedAtMs, ports)
  run.admission = undefined
  if (admission.kind === 'run' && !run.refusal) {
    runInSpan(run, ports)
    return
  }
  run.startedAtMs = undefined // its handler is not run, so nobody shall be told how long it took
  if (run.probes === 'failures') run.probes = undefined // nor can it show that handlers work again; the next one may
  switch (admission.kind) {
    case 'run':
      conclude(run, run.refusal!, ports)
      return
    case 'early':
      conclude(run, { kind: 'deferred', untilMs: admission.untilMs }, ports)
      return
    case 'poisonous':
      conclude(run, admission, ports)
      return
    case 'recount':
      if (admission.why === 'near-limit') void recountOrRun(run, admission, ports)
      else settle(run, admission, ports)
  }
}

/** May it begin now? What needs no handler always may. Where it may not, the gate says when it is to be asked again. */
export function mayBegin(run: Run, nowMs: () => number, ports: HandlingPorts): boolean {
  const isPlain = run.headers === undefined && !run.delivery.isRedelivered
  run.admission = isPlain ? undefined : admit(run, nowMs(), ports)
  if (run.refusal || (run.admission && run.admission.kind !== 'run')) return true
  return ports.gate.isOpenFor(run)
}

function runInSpan(run: Run, ports: HandlingPorts): void {
  const context = createContext(run, ports)
  run.span = ports.tracing?.begin(run.message, context)
  if (run.span) run.span.within(() => runHandler(run, ports.handler, context, ports.answered))
  else runHandler(run, ports.handler, context, ports.answered)
}

/** What follows from the result of a handler. */
export function conclude(run: Run, result: HandlerResult, ports: HandlingPorts): void {
  const outcome = decide(run, result, ports)
  run.span?.end(outcome)
  ports.decided(run, outcome)
  if (outcome.kind === 'hold' || outcome.kind === 'requeue')
    ports.ended(run, { outcome, settlement: undefined })
  else settle(run, outcome, ports)
}

/**
 * Settles, and where a copy cannot be placed tries again with growing pauses, until it is or the delivery must go back:
 * the broker would close the channel over it, and all that the channel has would be counted as if it had killed us. What
 * cannot be written at all is parked as it is, and does not stay in a handler's place for ever.
 */
export function settle(run: Run, outcome: SettledOutcome, ports: HandlingPorts): void {
  const settlement = settleAtOnce(run, outcome)
  if (settlement) ports.ended(run, { outcome, settlement })
  else void settleInTime(run, outcome, ports).then((handled) => ports.ended(run, handled))
}

async function settleInTime(run: Run, outcome: SettledOutcome, ports: HandlingPorts): Promise<Handled> {
  for (let failures = 1; ; failures += 1) {
    const settlement = await move(run, outcome, ports)
    if (settlement.kind === 'unwritable') return settleUnwritable(run, outcome, settlement.cause, ports)
    if (settlement.kind !== 'unpublished') return { outcome, settlement }
    const leftMs = run.receivedAtMs + ports.holding().longestMs - ports.clock.now()
    if (leftMs <= 0) return { outcome: giveBack, settlement: settleAtOnce(run, giveBack) }
    const nextAttemptMs = Math.min(pauseAfter(failures), leftMs)
    const { result, isBystander } = settlement
    ports.settleFailed({ run, outcome, result, nextAttemptMs, isPlaceAtFault: !isBystander })
    await pause(nextAttemptMs, { clock: ports.clock, signal: ports.ending })
    if (ports.ending.aborted || !run.delivery.isCurrent) {
      return { outcome, settlement: { kind: 'stale', isPublished: false } }
    }
  }
}

/** Until it is over, a copy may be in its queue beside its original: no handler starts that could leave both there. */
async function move(run: Run, outcome: SettledOutcome, ports: HandlingPorts): Promise<Settlement> {
  const isHome = outcome.kind === 'recount'
  ports.gate.moving(isHome)
  try {
    return await settleByPublish(run, outcome, ports)
  } finally {
    ports.gate.moved(isHome)
  }
}

/** A copy for the sake of the limit is a precaution: where it cannot be placed, the message is handled without. */
async function recountOrRun(run: Run, outcome: Recount, ports: HandlingPorts): Promise<void> {
  const settlement = await move(run, outcome, ports)
  if (settlement.kind === 'settled' || settlement.kind === 'stale') {
    ports.ended(run, { outcome, settlement })
  } else if (!run.delivery.isCurrent) {
    ports.ended(run, { outcome, settlement: { kind: 'stale', isPublished: false } })
  } else {
    const result = settlement.kind === 'unpublished' ? settlement.result : unsent(run, settlement.cause)
    ports.settleFailed({ run, outcome, result, nextAttemptMs: 0, isPlaceAtFault: false })
    ports.notRecounted(run)
  }
}

function unsent({ message }: Run, cause: WarrenError): PublishResult {
  return { kind: 'unknown', messageId: message.id, wasSent: false, cause }
}

async function settleUnwritable(
  run: Run,
  outcome: SettledOutcome,
  cause: WarrenError,
  ports: HandlingPorts,
): Promise<Handled> {
  const { park } = ports.flow
  const instead = decideUnwritable({ outcome, attempt: attemptOf(run), park, problem: cause.message })
  if (instead) {
    const settlement = settleAtOnce(run, instead)
    return settlement ? { outcome: instead, settlement } : settleInTime(run, instead, ports)
  }
  const result = unsent(run, cause)
  ports.settleFailed({ run, outcome, result, nextAttemptMs: unwritablePauseMs, isPlaceAtFault: false })
  // Held, so that it takes nobody's place, and then given back: others may know what to do with it.
  const requeue = { kind: 'requeue', atMs: ports.clock.now() + unwritablePauseMs } as const
  return { outcome: requeue, settlement: undefined }
}

const unwritablePauseMs = 60_000
const giveBack: SettledOutcome = { kind: 'give-back' }

function admit(run: Run, nowMs: number, ports: HandlingPorts): Admission {
  return decideAdmission({
    headers: run.headers,
    isRedelivered: run.delivery.isRedelivered,
    version: ports.brokerVersion(),
    poisonLimit: ports.poisonLimit,
    limitRule: run.ignoresLimit ? { ...ports.limitRule, deliveryLimit: false } : ports.limitRule,
    canPark: ports.flow.park !== undefined,
    givenBack: run.givenBack,
    nowMs,
  })
}

function decide(run: Run, result: HandlerResult, ports: HandlingPorts): Outcome {
  if (result.kind === 'handled') return acknowledge // whatever else is the case, so nothing else is looked up
  const nowMs = ports.clock.now()
  return decideOutcome({
    result,
    attempt: attemptOf(run),
    flow: ports.flow,
    statusTable: ports.statusTable,
    holding: ports.holding(),
    isProbe: run.probes === 'failures',
    nowMs,
    tooEarlyUntilMs: result.kind === 'status' ? tooEarlyUntil(run, nowMs, ports.random()) : nowMs,
  })
}

/** As the message says by `processAfterDelayMs`, counted from its timestamp; else one to five seconds from now. */
function tooEarlyUntil({ message }: Run, nowMs: number, random: number): number {
  const wished = Number(message.headers.processAfterDelayMs)
  const dueMs = Math.ceil((message.timestamp?.getTime() ?? nowMs) + wished)
  const isDate = dueMs > nowMs && !Number.isNaN(new Date(dueMs).getTime())
  return isDate ? dueMs : nowMs + 1_000 + Math.floor(random * 4_000)
}

/** Doubling from 100 ms to ten seconds. */
function pauseAfter(failures: number): number {
  return Math.min(10_000, 100 * 2 ** Math.min(failures - 1, 7))
}
