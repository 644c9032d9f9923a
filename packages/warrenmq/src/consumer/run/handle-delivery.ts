import type { WarrenError } from '../../errors.ts'
import type { PublishResult } from '../../publisher/publish-result.ts'
import { type Admission, decideAdmission, type Recount } from '../decide/decide-admission.ts'
import { acknowledge, decideOutcome, decideUnwritable, type Outcome } from '../decide/decide-outcome.ts'
import type { Handler } from '../handler.ts'
import type { RunTracing } from '../observe/run-tracing.ts'
import type { LimitRule } from '../settle/near-limit.ts'
import {
  type Copying,
  giveBack,
  type SettledOutcome,
  type Settlement,
  settleAtOnce,
  settleByPublish,
  stale,
} from '../settle/settlement.ts'
import type { SettledConsumerOptions } from '../settle-consumer-options.ts'
import type { DeliveryResult, KeptOutcome, RunListener } from './delivery-result.ts'
import type { HandlerResult } from './handler-result.ts'
import { pause } from './pause.ts'
import { attemptOf, type Run } from './run.ts'
import { createContext, type RunSurroundings, runHandler } from './run-handler.ts'
import type { StartGate } from './start-gate.ts'

/** What every delivery of a consumer is handled with. The listener is the only way up. */
export interface Handling extends Copying {
  readonly handler: Handler
  readonly surroundings: RunSurroundings
  readonly options: SettledConsumerOptions
  readonly limitRule: LimitRule
  readonly tracing: RunTracing | undefined
  readonly gate: StartGate
  /** The deliveries that are held in the process. */
  readonly held: { size(): number }
  /** Aborted when the consumer waits no longer. */
  readonly ending: AbortSignal
  readonly listener: RunListener
  /** `conclude`, bound to all this once and not for every message. */
  readonly answered: (run: Run, result: HandlerResult) => void
}

export function createHandling(parts: Omit<Handling, 'answered'>): Handling {
  const handling: Handling = { ...parts, answered: (run, result) => conclude(run, result, handling) }
  return handling
}

/**
 * The story of one message: admit, run, decide, settle. It ends with one result, and the listener gets it. Not by a
 * promise, since most messages of a quick handler are acknowledged on the spot, and not as what is returned, since a
 * handler that is interrupted has its result from a timer.
 */
export function handleDelivery(run: Run, handling: Handling): void {
  const admission = run.admission ?? admit(run, run.startedAtMs ?? run.receivedAtMs, handling)
  run.admission = undefined
  if (admission.kind === 'run' && !run.refusal) {
    runInSpan(run, handling)
    return
  }
  run.startedAtMs = undefined // its handler does not run, so there is no duration to report
  if (run.probes === 'failures') run.probes = undefined // nor can it show that handlers work again; the next one may
  switch (admission.kind) {
    case 'run':
      conclude(run, run.refusal!, handling)
      return
    case 'early':
      conclude(run, { kind: 'deferred', untilMs: admission.untilMs }, handling)
      return
    case 'poisonous':
      conclude(run, admission, handling)
      return
    case 'recount':
      if (admission.why === 'near-limit') endWith(run, recount(run, admission, handling), handling)
      else settle(run, admission, handling)
  }
}

/** May it start now? A run that needs no handler always may. If it may not, the gate says when to ask again. */
export function mayBegin(run: Run, nowMs: () => number, handling: Handling): boolean {
  const isPlain = run.headers === undefined && !run.delivery.isRedelivered
  run.admission = isPlain ? undefined : admit(run, nowMs(), handling)
  if (run.refusal || (run.admission && run.admission.kind !== 'run')) return true
  return handling.gate.isOpenFor(run)
}

function runInSpan(run: Run, { tracing, handler, surroundings, answered }: Handling): void {
  const context = createContext(run, surroundings)
  run.span = tracing?.begin(run.message, {
    queue: context.queue,
    attempt: context.attempt,
    deliveryTag: run.delivery.deliveryTag,
  })
  if (run.span) run.span.within(() => runHandler(run, handler, context, answered))
  else runHandler(run, handler, context, answered)
}

/** What follows from the result of a handler. */
function conclude(run: Run, result: HandlerResult, handling: Handling): void {
  const outcome = decide(run, result, handling)
  handling.listener.decided(run, outcome)
  if (outcome.kind === 'hold' || outcome.kind === 'requeue') keep(run, outcome, handling)
  else settle(run, outcome, handling)
}

function keep(run: Run, outcome: KeptOutcome, { listener }: Handling): void {
  if (outcome.kind === 'hold' && outcome.why === 'no-way-out') run.localFailures += 1
  listener.ended(run, { kind: 'kept', outcome })
}

function settle(run: Run, outcome: SettledOutcome, handling: Handling): void {
  const settled = settleAtOnce(run, outcome)
  if (settled) handling.listener.ended(run, settled)
  else endWith(run, settleInTime(run, outcome, handling), handling)
}

function endWith(run: Run, result: Promise<DeliveryResult>, { listener }: Handling): void {
  void result.then((known) => listener.ended(run, known))
}

/**
 * If a copy cannot be published, it is tried again with growing pauses until it works or the delivery must go back:
 * the broker would close the channel over it, and count everything on the channel as if it had killed us. A copy that
 * cannot be encoded at all is parked as it is, and does not occupy a handler's place for ever.
 */
async function settleInTime(run: Run, outcome: SettledOutcome, handling: Handling): Promise<DeliveryResult> {
  const { options, listener, ending } = handling
  for (let failures = 1; ; failures += 1) {
    const settled = await move(run, outcome, handling)
    if (settled.kind === 'unwritable') return settleUnwritable(run, outcome, settled.cause, handling)
    if (settled.kind !== 'unpublished') return settled
    const leftMs = run.receivedAtMs + options.longestHoldMs - options.clock.now()
    if (leftMs <= 0) return giveBack(run)
    const nextAttemptMs = Math.min(pauseAfter(failures), leftMs)
    const { result, isBystander } = settled
    listener.unplaced(run, { outcome, result, nextAttemptMs, isPlaceAtFault: !isBystander })
    await pause(nextAttemptMs, { clock: options.clock, signal: ending })
    if (ending.aborted || !run.delivery.isCurrent) return stale(outcome, false)
  }
}

/** Until it is over, a copy may be in its queue beside its original: no handler starts that could leave both there. */
async function move(run: Run, outcome: SettledOutcome, handling: Handling): Promise<Settlement> {
  const isHome = outcome.kind === 'recount'
  handling.gate.moving(isHome)
  try {
    return await settleByPublish(run, outcome, handling)
  } finally {
    handling.gate.moved(isHome)
  }
}

/** A copy for the sake of the limit is a precaution: if it cannot be published, the message is handled without it. */
async function recount(run: Run, outcome: Recount, handling: Handling): Promise<DeliveryResult> {
  const settled = await move(run, outcome, handling)
  if (settled.kind === 'settled' || settled.kind === 'stale') return settled
  if (!run.delivery.isCurrent) return stale(outcome, false)
  const result = settled.kind === 'unpublished' ? settled.result : unsent(run, settled.cause)
  handling.listener.unplaced(run, { outcome, result, nextAttemptMs: 0, isPlaceAtFault: false })
  return { kind: 'not-recounted', outcome }
}

async function settleUnwritable(
  run: Run,
  outcome: SettledOutcome,
  cause: WarrenError,
  handling: Handling,
): Promise<DeliveryResult> {
  const { park } = handling.flow
  const instead = decideUnwritable({ outcome, attempt: attemptOf(run), park, problem: cause.message })
  if (instead) return settleAtOnce(run, instead) ?? settleInTime(run, instead, handling)
  const result = unsent(run, cause)
  handling.listener.unplaced(run, {
    outcome,
    result,
    nextAttemptMs: unwritablePauseMs,
    isPlaceAtFault: false,
  })
  // Held, so that it occupies no place, and then given back: another consumer may know what to do with it.
  const atMs = handling.options.clock.now() + unwritablePauseMs
  return { kind: 'kept', outcome: { kind: 'requeue', atMs } }
}

const unwritablePauseMs = 60_000

function unsent({ message }: Run, cause: WarrenError): PublishResult {
  return { kind: 'unknown', messageId: message.id, wasSent: false, cause }
}

function admit(run: Run, nowMs: number, { options, flow, limitRule }: Handling): Admission {
  return decideAdmission({
    headers: run.headers,
    isRedelivered: run.delivery.isRedelivered,
    version: run.version,
    poisonLimit: options.poisonLimit,
    limitRule: run.ignoresLimit ? { ...limitRule, deliveryLimit: false } : limitRule,
    canPark: flow.park !== undefined,
    givenBack: run.givenBack,
    nowMs,
  })
}

function decide(run: Run, result: HandlerResult, { options, flow, held }: Handling): Outcome {
  if (result.kind === 'handled') return acknowledge // whatever else is the case, so nothing else is looked up
  const { shortHoldMs, longestHoldMs, prefetch, concurrency } = options
  const nowMs = options.clock.now()
  return decideOutcome({
    result,
    attempt: attemptOf(run),
    flow,
    statusTable: options.statusTable,
    holding: {
      shortMs: shortHoldMs,
      longestMs: longestHoldMs,
      hasRoom: held.size() < prefetch - concurrency,
    },
    isProbe: run.probes === 'failures',
    nowMs,
    tooEarlyUntilMs: result.kind === 'status' ? tooEarlyUntil(run, nowMs, options.random()) : nowMs,
  })
}

/** As the message says by `processAfterDelayMs`, counted from its timestamp; else one to five seconds from now. */
export function tooEarlyUntil({ message }: Pick<Run, 'message'>, nowMs: number, random: number): number {
  const wished = Number(message.headers.processAfterDelayMs)
  const dueMs = Math.ceil((message.timestamp?.getTime() ?? nowMs) + wished)
  const isDate = dueMs > nowMs && !Number.isNaN(new Date(dueMs).getTime())
  return isDate ? dueMs : nowMs + 1_000 + Math.floor(random * 4_000)
}

/** Doubling from 100 ms to ten seconds. */
export function pauseAfter(failures: number): number {
  return Math.min(10_000, 100 * 2 ** Math.min(failures - 1, 7))
}
