import type { Interruption, RedriveOutcome } from '../receipt/receipt.ts'
import type { Canary } from './canary.ts'
import { type CrashState, noCrash } from './crash-state.ts'
import { type Losses, noLosses } from './decide-next-pass.ts'
import { type GateState, openGate } from './gate-state.ts'
import { type PaceState, startPace } from './pace-state.ts'
import type { RedriveCommand } from './redrive-command.ts'
import type { EndCount, TakenMessage } from './redrive-event.ts'
import { checkArrow, type RedrivePhase } from './redrive-phase.ts'
import { openStages, type StageState } from './stage-state.ts'
import { noWait, type WaitState } from './wait-state.ts'
import { openWindow, type WindowState } from './window-state.ts'

/** What was asked for. */
export interface RedriveSettings {
  readonly window: { readonly messages: number; readonly bytes: number }
  /** The most messages to move. */
  readonly limit: number
  readonly ratePerSecond: number | undefined
  readonly canary: Canary | undefined
  /** Somebody is to look for messages that died again. */
  readonly isWatched: boolean
  readonly stopWhenTargetAbove: number | undefined
  readonly waitMs: number
}

/**
 * Everything that a re-drive knows and decides by. Nothing in it remembers a message that was moved: one that comes
 * back after a lost connection is a message like any other.
 */
export interface RedriveState<Message extends TakenMessage> {
  readonly settings: RedriveSettings
  readonly phase: RedrivePhase
  readonly flow: RedriveFlow<Message>
  readonly counts: RedriveCounts
  readonly window: WindowState
  readonly pace: PaceState
  readonly gate: GateState | undefined
  readonly stage: StageState | undefined
  readonly wait: WaitState
  readonly crash: CrashState
  readonly pass: RedrivePass
  readonly ending: RedriveEnding
  readonly isPaused: boolean
}

/** What changes with every message. */
export interface RedriveFlow<Message extends TakenMessage> {
  /** In hand, and to be published when it is their turn. */
  readonly waiting: readonly Message[]
  /** Published without an answer before; they go first. */
  readonly again: readonly Message[]
  /** Published, and no answer yet. */
  readonly unanswered: number
  readonly unansweredBytes: number
  /** The one without an answer has had no other beside it. */
  readonly isAlone: boolean
  /** Acknowledged, but the broker has not proved it yet. */
  readonly unproved: number
  /** Of these, this many are not covered by a proof that is in flight. */
  readonly uncovered: number
  readonly proofs: number
  /** Copies to the end of the queue that are in flight. */
  readonly copying: number
  /** Publishes that the broker has confirmed, in all. */
  readonly confirmed: number
  /** Acks that the broker has proved, in all. */
  readonly known: number
  /** Decided to go, of those that the limit allows. */
  readonly selected: number
  /** Of this pass. */
  readonly taken: number
  readonly kept: number
  readonly failed: number
}

/** What changes with what goes wrong. */
export interface RedriveCounts {
  readonly present: number
  /** Publishes that have no answer, or a refusal, and may still be there. */
  readonly mayBeThere: number
  /** Acks that were sent and not proved before their channel was lost, or that a crash of the broker has undone. */
  readonly inDoubt: number
  /** Of these, this many arrived according to the broker's own counts, if nobody else takes messages. */
  readonly gone: number
  /** Kept messages that were put at the end of the queue. */
  readonly refreshed: number
  /** Their queue has a copy of them, or may have. */
  readonly copies: number
  readonly inOverLimitQueue: number
  readonly otherConsumers: number
}

export interface RedrivePass {
  /** The queue was counted once. */
  readonly isPrepared: boolean
  readonly number: number
  /** `lost`: what we held is back, and only answers are waited for. */
  readonly walk: 'none' | 'on' | 'all-seen' | 'emptied' | 'stopped' | 'held-too-long' | 'lost'
  readonly isTimeUp: boolean
  /** Waited for their turn when the time was up. */
  readonly gaveBack: number
  readonly count: number
  readonly prefetch: number
  /** As they were when the pass began. */
  readonly movedBefore: number
  readonly inOverLimitQueueBefore: number
  readonly connectionWaitsBefore: number
  readonly idlePasses: number
  readonly lostPasses: number
  readonly losses: Losses
  readonly returnLimit: number | undefined
  readonly returnsInMs: number
  /** Targets that refused messages of this pass. */
  readonly refusing: readonly string[]
  readonly isRefusalAmbiguous: boolean
  readonly refusalRetries: number
  /** Publishes of this pass got no answer in time. */
  readonly isUnanswered: boolean
  /** Channels that the broker closed over one message alone, in a row. */
  readonly closures: number
  /** Connections lost with only one message in flight, in a row. */
  readonly lostAlone: number
  /** The queue was deleted. */
  readonly isGone: boolean
  /** Of this pass: confirmed, and not known to be out of the queue when its channel was lost. */
  readonly unsettled: number
  /** The broker takes no larger bodies than this. */
  readonly largestBytes: number
  /** Something is waited for before the next pass. */
  readonly isAsked: boolean
  readonly restMs: number
  /** The last depth that was counted while no message was taken. */
  readonly depth: number
}

export interface RedriveEnding {
  /** Why it must stop; undefined: it continues. */
  readonly stopped: RedriveOutcome | undefined
  readonly interruption: Interruption | undefined
  readonly stoppedMs: number
  readonly isPatienceLost: boolean
  /** Publishes were in flight whose answers nobody waits for. */
  readonly isAbandoned: boolean
  /** The broker does not let this user in any more: it is not away. */
  readonly isRefused: boolean
  /** Settled once it must stop. */
  readonly outcome: RedriveOutcome | undefined
  readonly count: EndCount | undefined
}

export type Commands<Message extends TakenMessage> = RedriveCommand<Message>[]

export function startRedriveState<Message extends TakenMessage>(
  settings: RedriveSettings,
): RedriveState<Message> {
  return {
    settings,
    phase: 'locking',
    flow: emptyFlow,
    counts: noCounts,
    window: openWindow(settings.window.messages, settings.window.bytes),
    pace: startPace(settings.ratePerSecond),
    gate: openGate(settings.stopWhenTargetAbove),
    stage: settings.isWatched ? openStages(settings.canary) : undefined,
    wait: noWait,
    crash: noCrash,
    pass: noPass,
    ending: notEnding,
    isPaused: false,
  }
}

const emptyFlow: RedriveFlow<never> = {
  waiting: [],
  again: [],
  unanswered: 0,
  unansweredBytes: 0,
  isAlone: false,
  unproved: 0,
  uncovered: 0,
  proofs: 0,
  copying: 0,
  confirmed: 0,
  known: 0,
  selected: 0,
  taken: 0,
  kept: 0,
  failed: 0,
}

const noCounts: RedriveCounts = {
  present: 0,
  mayBeThere: 0,
  inDoubt: 0,
  gone: 0,
  refreshed: 0,
  copies: 0,
  inOverLimitQueue: 0,
  otherConsumers: 0,
}

const noPass: RedrivePass = {
  isPrepared: false,
  number: 0,
  walk: 'none',
  isTimeUp: false,
  gaveBack: 0,
  count: 0,
  prefetch: 1,
  movedBefore: 0,
  inOverLimitQueueBefore: 0,
  connectionWaitsBefore: 0,
  idlePasses: 0,
  lostPasses: 0,
  losses: noLosses,
  returnLimit: undefined,
  returnsInMs: 0,
  refusing: [],
  isRefusalAmbiguous: false,
  refusalRetries: 0,
  isUnanswered: false,
  closures: 0,
  lostAlone: 0,
  isGone: false,
  unsettled: 0,
  largestBytes: Number.POSITIVE_INFINITY,
  isAsked: false,
  restMs: 0,
  depth: 0,
}

const notEnding: RedriveEnding = {
  stopped: undefined,
  interruption: undefined,
  stoppedMs: 0,
  isPatienceLost: false,
  isAbandoned: false,
  isRefused: false,
  outcome: undefined,
  count: undefined,
}

/** Messages that are out of the queue and at their target, as far as acks and counts prove it. */
export function movedOf({ flow, counts }: Pick<RedriveState<TakenMessage>, 'flow' | 'counts'>): number {
  return flow.known + counts.gone
}

/** The same, plus those whose acks are in flight: what the progress shows. */
export function movedSoFar(state: Pick<RedriveState<TakenMessage>, 'flow' | 'counts'>): number {
  return movedOf(state) + state.flow.unproved
}

/** What the queue should hold of those that were in it at the start, at the most. */
export function leftOf(state: Pick<RedriveState<TakenMessage>, 'flow' | 'counts'>): number {
  return state.counts.present - movedOf(state) - state.counts.inOverLimitQueue
}

/** The same at the least: acks in doubt may have arrived. */
export function leastLeftOf({ counts, flow }: Pick<RedriveState<TakenMessage>, 'flow' | 'counts'>): number {
  return counts.present - flow.known - counts.inDoubt - counts.inOverLimitQueue
}

export function enterPhase<Message extends TakenMessage>(
  state: RedriveState<Message>,
  phase: RedrivePhase,
): RedriveState<Message> {
  return { ...state, phase: checkArrow(state.phase, phase) }
}

/** A copy that nothing else has seen yet. */
export type FreshFlow<Message extends TakenMessage> = {
  -readonly [Name in keyof RedriveFlow<Message>]: RedriveFlow<Message>[Name]
}

/** Name by name: a spread of this many takes ten times as long, and this is done for every message. */
export function copyFlow<Message extends TakenMessage>(flow: RedriveFlow<Message>): FreshFlow<Message> {
  return {
    waiting: flow.waiting,
    again: flow.again,
    unanswered: flow.unanswered,
    unansweredBytes: flow.unansweredBytes,
    isAlone: flow.isAlone,
    unproved: flow.unproved,
    uncovered: flow.uncovered,
    proofs: flow.proofs,
    copying: flow.copying,
    confirmed: flow.confirmed,
    known: flow.known,
    selected: flow.selected,
    taken: flow.taken,
    kept: flow.kept,
    failed: flow.failed,
  }
}

/** Of one shape, whatever was spread into the state before: else V8 would compile most of this twice. */
export function copyState<Message extends TakenMessage>(state: RedriveState<Message>): RedriveState<Message> {
  return withFlow(state, state.flow)
}

export function withFlow<Message extends TakenMessage>(
  state: RedriveState<Message>,
  flow: RedriveFlow<Message>,
): RedriveState<Message> {
  return {
    settings: state.settings,
    phase: state.phase,
    flow,
    counts: state.counts,
    window: state.window,
    pace: state.pace,
    gate: state.gate,
    stage: state.stage,
    wait: state.wait,
    crash: state.crash,
    pass: state.pass,
    ending: state.ending,
    isPaused: state.isPaused,
  }
}

export function withPass<Message extends TakenMessage>(
  state: RedriveState<Message>,
  changes: Partial<RedrivePass>,
): RedriveState<Message> {
  return { ...state, pass: { ...state.pass, ...changes } }
}
