import { countLoss, decideNextPass, isLostTooOften, noLosses } from './decide-next-pass.ts'
import { endRun } from './end-run.ts'
import { holdWaiting } from './hold-waiting.ts'
import type { RedriveEvent, TakenMessage } from './redrive-event.ts'
import {
  type Commands,
  enterPhase,
  leftOf,
  movedOf,
  movedSoFar,
  type RedrivePass,
  type RedriveState,
  withPass,
} from './redrive-state.ts'
import { settleDoubt } from './settle-doubt.ts'
import { beginWait, endWait, isSendable } from './wait-state.ts'
import { shrinkWindow } from './window-state.ts'

type State<Message extends TakenMessage> = RedriveState<Message>
type EventOf<Kind> = Extract<RedriveEvent<TakenMessage>, { kind: Kind }>

/** The pause between lost passes grows by this each time, up to the longest. */
const pauseStepMs = 100
const longestPauseMs = 2_000

/** The queue is counted and its rules are read; no message is taken. */
export function prepared<Message extends TakenMessage>(
  state: State<Message>,
  event: EventOf<'prepared'>,
  commands: Commands<Message>,
): State<Message> {
  const { depth, returnLimit, returnsInMs, prefetch, inOverLimitQueue } = event
  const otherConsumers = Math.max(state.counts.otherConsumers, event.otherConsumers)
  const present = state.pass.isPrepared ? state.counts.present : depth
  const counted = { ...state, counts: { ...state.counts, present, otherConsumers, inOverLimitQueue } }
  const settled = settleDoubt(counted, { depth, isAllBack: returnsInMs === 0 })
  const next = withPass(settled, { isPrepared: true, returnLimit, returnsInMs, prefetch, depth })
  if (isLostTooOften({ losses: next.pass.losses.count, returnLimit }))
    return endRun(next, next.ending.stopped ?? 'interrupted', 'no-progress', commands)
  // The lock went with the connection.
  if (next.wait.awaited.consuming) return relock(next, commands)
  return tryTake(enterPhase(next, 'resting'), commands)
}

/** Begins the next pass, unless something holds it up. */
export function tryTake<Message extends TakenMessage>(
  state: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  const { ending, pass, settings, isPaused, stage, wait, flow } = state
  if (state.phase !== 'resting') return state
  if (ending.stopped) return endRun(state, ending.stopped, ending.interruption, commands)
  // Meanwhile nothing is wanted of the queue.
  if (isPaused || stage?.isLooking) return { ...state, wait: endWait(wait, 'queue') }
  if (pass.isAsked || pass.restMs > 0) return state
  const left = budgetOf(state)
  if (left <= 0 || movedOf(state) >= settings.limit) return endRun(state, 'done', undefined, commands)
  // A pass that cannot send would take messages only to give them back, which counts if there is a limit.
  if (!isSendable(wait)) return { ...state, wait: endWait(wait, 'queue') }
  if (wait.awaited.consuming) return state
  const prefetch = halve(pass.prefetch, pass.losses.count)
  commands.push({ kind: 'take', count: left, prefetch, isFirst: pass.number === 0 })
  const moved = movedOf(state)
  return {
    ...enterPhase(state, 'taking'),
    flow: { ...flow, selected: moved, taken: 0, kept: 0, failed: 0 },
    pass: {
      ...pass,
      number: pass.number + 1,
      walk: 'on',
      isTimeUp: false,
      gaveBack: 0,
      count: left,
      movedBefore: moved,
      inOverLimitQueueBefore: state.counts.inOverLimitQueue,
      connectionWaitsBefore: wait.connectionWaits,
      refusing: [],
      isRefusalAmbiguous: false,
      isUnanswered: false,
    },
  }
}

/** This many are to be taken: no later arrival, as long as nothing is in doubt. */
function budgetOf(state: State<TakenMessage>): number {
  const { counts, flow, pass } = state
  const most = counts.present - flow.known - counts.inOverLimitQueue
  // What a lost node keeps is not ready, and comes later.
  return counts.inDoubt > 0 && pass.returnsInMs === 0
    ? Math.min(most, pass.depth)
    : Math.min(most, leftOf(state))
}

/** So often, and never to less than one. */
function halve(count: number, times: number): number {
  return Math.max(1, Math.floor(count / 2 ** times))
}

/** Ends the pass once nothing is in flight. */
export function endPassWhenIdle<Message extends TakenMessage>(
  state: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  const { flow, pass, phase } = state
  if (phase !== 'taking' || pass.walk === 'on') return state
  if (flow.unanswered > 0 || flow.copying > 0 || flow.waiting.length > 0 || flow.again.length > 0)
    return state
  if (pass.isGone) return endRun(state, 'interrupted', 'queue-deleted', commands)
  if (pass.walk === 'lost') return relock(state, commands)
  commands.push({ kind: 'give-back' })
  return enterPhase(state, 'giving-back')
}

export function relock<Message extends TakenMessage>(
  state: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  commands.push({ kind: 'relock' })
  return enterPhase(state, 'relocking')
}

export function walked<Message extends TakenMessage>(
  state: State<Message>,
  end: Exclude<RedrivePass['walk'], 'none' | 'on' | 'lost'>,
): State<Message> {
  return state.pass.walk === 'on' ? withPass(state, { walk: end }) : state
}

/** What waits for a rate or a gate goes back in time, and is taken again by the next pass. */
export function timeUp<Message extends TakenMessage>(
  state: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  if (state.phase !== 'taking' || state.ending.stopped !== undefined) return state
  commands.push({ kind: 'stop-taking' })
  return holdWaiting(withPass(state, { isTimeUp: true }), commands)
}

/** The queue has taken back everything we held. Acks that are not proved may have arrived, or not. */
export function lose<Message extends TakenMessage>(
  state: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  const { flow, counts, pass, phase } = state
  if (phase === 'preparing') return relock({ ...state, wait: beginWait(state.wait, 'queue') }, commands)
  if (phase === 'counting') return { ...state, wait: beginWait(state.wait, 'queue') }
  if ((phase !== 'taking' && phase !== 'giving-back') || pass.walk === 'lost') return state
  const moved = movedSoFar(state) - pass.movedBefore
  const hasTaken = flow.taken > 0
  const wait = moved > 0 ? endWait(state.wait, 'queue') : state.wait
  const lost: State<Message> = {
    ...state,
    counts: { ...counts, inDoubt: counts.inDoubt + flow.unproved },
    flow: {
      ...flow,
      waiting: [],
      again: [],
      unproved: 0,
      uncovered: 0,
      proofs: 0,
      kept: 0,
      failed: 0,
    },
    window: shrinkWindow(state.window),
    wait: beginWait(wait, 'queue'),
    crash: { ...state.crash, hadConsumer: true },
    pass: {
      ...pass,
      walk: 'lost',
      unsettled: hasTaken ? flow.unproved : pass.unsettled,
      lostPasses: moved > 0 ? 0 : pass.lostPasses + 1,
      losses: countLoss(pass.losses, { moved, hasTaken, held: Math.min(pass.prefetch, pass.count) }),
    },
  }
  return phase === 'giving-back' ? relock(lost, commands) : lost
}

export function relocked<Message extends TakenMessage>(
  state: State<Message>,
  held: EventOf<'relocked'>['held'],
  commands: Commands<Message>,
): State<Message> {
  const { stopped, interruption } = state.ending
  // The caller who closes the session wants no more, and no other connection follows.
  if (held === 'closed') return endRun(state, stopped ?? 'cancelled', interruption, commands)
  if (held === 'held' && stopped && state.pass.isPrepared)
    return endRun(state, stopped, interruption, commands)
  if (held !== 'held') return endRun(state, stopped ?? 'interrupted', interruption ?? 'locked', commands)
  const restMs = Math.min(state.pass.lostPasses * pauseStepMs, longestPauseMs)
  commands.push({ kind: 'prepare' })
  if (restMs > 0) commands.push({ kind: 'wake', ms: restMs })
  return withPass(enterPhase(state, 'preparing'), { walk: 'none', restMs })
}

/** The last ack of the pass is proved, and what was held is back. */
export function gaveBack<Message extends TakenMessage>(
  before: State<Message>,
  { returnsInMs, hasLostNode }: EventOf<'gave-back'>,
  commands: Commands<Message>,
): State<Message> {
  const { flow } = before
  const known = flow.known + flow.unproved
  const proved = { ...before, flow: { ...flow, known, unproved: 0, uncovered: 0, proofs: 0 } }
  const moved = movedOf(proved) - proved.pass.movedBefore
  const idlePasses = moved > 0 ? 0 : proved.pass.idlePasses + 1
  const state = {
    ...withPass(proved, { idlePasses, lostPasses: 0, losses: noLosses, returnsInMs, restMs: 0 }),
    wait: endWait(proved.wait, 'queue'),
  }
  const { ending, settings, pass, isPaused } = state
  if (ending.stopped) return endRun(state, ending.stopped, ending.interruption, commands)
  const next = decideNextPass({
    end: pass.gaveBack > 0 ? 'held-too-long' : endOf(pass),
    moved,
    idlePasses,
    isPaused,
    hasLostNode,
    returnsInMs,
    isLimitReached: movedOf(state) >= settings.limit,
    isHeldUp: pass.gaveBack > 0,
    unseen:
      leftOf(state) - flow.kept - flow.failed + (state.counts.inOverLimitQueue - pass.inOverLimitQueueBefore),
    isRefusalRetriable: pass.refusing.length > 0 && !pass.isRefusalAmbiguous,
    refusalRetries: pass.refusalRetries,
    isUnanswered: pass.isUnanswered && state.wait.connectionWaits > pass.connectionWaitsBefore,
  })
  if (next.kind === 'end') {
    const interruption = next.outcome === 'interrupted' ? next.interruption : undefined
    return endRun(state, next.outcome, interruption, commands)
  }
  return tryTake(rest(enterPhase(state, 'resting'), next.kind, commands), commands)
}

function endOf({ walk }: RedrivePass): 'all-seen' | 'emptied' | 'stopped' | 'held-too-long' {
  return walk === 'none' || walk === 'on' || walk === 'lost' ? 'stopped' : walk
}

function rest<Message extends TakenMessage>(
  state: State<Message>,
  kind: 'again' | 'again-when-returned' | 'again-when-led',
  commands: Commands<Message>,
): State<Message> {
  const { pass, flow, counts } = state
  switch (kind) {
    case 'again':
      return state
    case 'again-when-returned': {
      const left = flow.kept + flow.failed - (counts.inOverLimitQueue - pass.inOverLimitQueueBefore)
      commands.push({ kind: 'await-returned', left })
      return withPass(state, { isAsked: true })
    }
    case 'again-when-led':
      commands.push({ kind: 'await-leaders', queues: pass.refusing })
      return withPass(state, { isAsked: true, refusalRetries: pass.refusalRetries + 1 })
  }
}
