import { confirmMessages, failMessage, missAnswer, noteRefusal, proveAcks } from './confirm-messages.ts'
import { counted } from './counted.ts'
import { loseContact, regainContact } from './crash-state.ts'
import {
  endPassWhenIdle,
  gaveBack,
  lose,
  prepared,
  relock,
  relocked,
  timeUp,
  tryTake,
  walked,
} from './end-pass.ts'
import { endRun, startCount } from './end-run.ts'
import { countedGate, isFull } from './gate-state.ts'
import { pump } from './pump.ts'
import type { RedriveCommand } from './redrive-command.ts'
import type { RedriveConnection, RedriveEvent, TakenMessage } from './redrive-event.ts'
import {
  type Commands,
  copyState,
  enterPhase,
  movedOf,
  type RedriveState,
  withPass,
} from './redrive-state.ts'
import { afterLook } from './stage-state.ts'
import { takeMessages } from './take-messages.ts'
import { abandonIfAway, stop, tick } from './tick.ts'
import { beginWait, endWait } from './wait-state.ts'
import { shrinkWindow } from './window-state.ts'

export interface RedriveStep<Message extends TakenMessage> {
  readonly state: RedriveState<Message>
  readonly commands: readonly RedriveCommand<Message>[]
}

/** What a re-drive knows after an event, and what it does next. Nothing else decides anything. */
export function nextRedriveState<Message extends TakenMessage>(
  state: RedriveState<Message>,
  event: RedriveEvent<Message>,
): RedriveStep<Message> {
  const commands: RedriveCommand<Message>[] = []
  const changed = apply(state, event, commands)
  return { state: copyState(endPassWhenIdle(changed, commands)), commands }
}

function apply<Message extends TakenMessage>(
  state: RedriveState<Message>,
  event: RedriveEvent<Message>,
  commands: Commands<Message>,
): RedriveState<Message> {
  switch (event.kind) {
    case 'delivered':
      return takeMessages(state, event.messages, commands)
    case 'confirmed':
      return state.ending.isAbandoned ? state : confirmMessages(state, event.messages, commands)
    case 'acks-known':
      return state.phase === 'taking' ? proveAcks(state, event, commands) : state
    case 'returned':
      return state.ending.isAbandoned ? state : failMessage(state, event.message, commands)
    case 'nacked':
      if (state.ending.isAbandoned) return state
      return failMessage(noteRefusal(state, event), event.message, commands)
    case 'unanswered':
      return state.ending.isAbandoned ? state : missAnswer(state, event, commands)
    case 'sent-ahead':
      if (state.pass.walk !== 'lost')
        commands.push({ kind: 'hold', message: event.message, why: 'sent-ahead' })
      return state
    case 'copying':
      return { ...state, flow: { ...state.flow, copying: state.flow.copying + 1 } }
    case 'copied':
      return pump(countCopy(state, event), commands)
    case 'started':
      commands.push({ kind: 'lock' })
      return state
    case 'locked':
      commands.push({ kind: 'prepare' })
      return enterPhase(state, 'preparing')
    case 'prepared':
      return state.phase === 'preparing' ? prepared(state, event, commands) : state
    case 'walked':
      return walked(state, event.end)
    case 'time-up':
      return timeUp(state, commands)
    case 'gave-back':
      return state.phase === 'giving-back' ? gaveBack(state, event, commands) : state
    case 'lost':
      return lose(state, commands)
    case 'relocked':
      return state.phase === 'relocking' ? relocked(state, event.held, commands) : state
    case 'rested':
      return tryTake(withPass(state, { isAsked: false }), commands)
    case 'disconnected':
      return disconnect(state, event.connection, commands)
    case 'connected':
      return goOn(reconnect(withRefusal(state, false), event), commands)
    case 'refused':
      return withRefusal(state, true)
    case 'blocked':
      return abandonIfAway({ ...state, wait: beginWait(state.wait, 'alarm') }, commands)
    case 'unblocked':
      return goOn({ ...state, wait: endWait(state.wait, 'alarm') }, commands)
    case 'targets-counted':
      return countTargets(state, event.depth, commands)
    case 'suspected':
      return suspect(state, commands)
    case 'looked-for-dead':
      return looked(state, event, commands)
    case 'tick':
      return tick(state, event.ms, commands)
    case 'pause':
      return { ...state, isPaused: true }
    case 'resume':
      return goOn({ ...state, isPaused: false, wait: { ...state.wait, waitedMs: 0 } }, commands)
    case 'cancel':
      return stop({ ...state, isPaused: false }, { outcome: 'cancelled' }, commands)
    case 'queue-gone':
      return loseQueue(state, commands)
    case 'failed':
      return fail(state, event.isForbidden ?? false, commands)
    case 'counted':
      return counted(state, event.count, commands)
  }
}

function goOn<Message extends TakenMessage>(
  state: RedriveState<Message>,
  commands: Commands<Message>,
): RedriveState<Message> {
  return tryTake(pump(state, commands), commands)
}

function countCopy<Message extends TakenMessage>(
  state: RedriveState<Message>,
  { end, inOverLimitQueue }: Extract<RedriveEvent<Message>, { kind: 'copied' }>,
): RedriveState<Message> {
  const { flow, counts } = state
  return {
    ...state,
    flow: { ...flow, copying: Math.max(0, flow.copying - 1) },
    counts: {
      ...counts,
      inOverLimitQueue,
      refreshed: counts.refreshed + (end === 'refreshed' ? 1 : 0),
      copies: counts.copies + (end === 'held-with-copy' ? 1 : 0),
    },
  }
}

/** With the publishing connection, the answers to what was in flight are lost: next time less is in flight. */
function disconnect<Message extends TakenMessage>(
  state: RedriveState<Message>,
  connection: RedriveConnection,
  commands: Commands<Message>,
): RedriveState<Message> {
  const waiting = { ...state, wait: beginWait(state.wait, connection) }
  if (connection === 'publishing') {
    const isKnown = state.wait.awaited.publishing
    return isKnown ? waiting : { ...waiting, window: shrinkWindow(state.window) }
  }
  const alone = { ...waiting, crash: loseContact(state.crash, movedOf(state)) }
  return state.phase === 'resting' ? relock(alone, commands) : alone
}

function reconnect<Message extends TakenMessage>(
  state: RedriveState<Message>,
  { connection, reconnection = 'at-once' }: Extract<RedriveEvent<Message>, { kind: 'connected' }>,
): RedriveState<Message> {
  if (connection === 'publishing') return { ...state, wait: endWait(state.wait, 'publishing', 'alarm') }
  const { messages: window } = state.settings.window
  return {
    ...state,
    wait: endWait(state.wait, 'consuming'),
    crash: regainContact(state.crash, { reconnection, window }),
  }
}

function withRefusal<Message extends TakenMessage>(
  state: RedriveState<Message>,
  isRefused: boolean,
): RedriveState<Message> {
  if (state.ending.isRefused === isRefused) return state
  return { ...state, ending: { ...state.ending, isRefused } }
}

function countTargets<Message extends TakenMessage>(
  state: RedriveState<Message>,
  depth: number | undefined,
  commands: Commands<Message>,
): RedriveState<Message> {
  if (!state.gate) return state
  const gate = countedGate(state.gate, depth)
  const next = { ...state, gate }
  return isFull(gate, depth) ? stop(next, { outcome: 'target-too-deep' }, commands) : pump(next, commands)
}

function suspect<Message extends TakenMessage>(
  state: RedriveState<Message>,
  commands: Commands<Message>,
): RedriveState<Message> {
  if (!state.stage || state.phase !== 'taking') return state
  return pump({ ...state, stage: { ...state.stage, isSuspected: true } }, commands)
}

function looked<Message extends TakenMessage>(
  state: RedriveState<Message>,
  { isTooMany, isStageEnd }: { isTooMany: boolean; isStageEnd: boolean },
  commands: Commands<Message>,
): RedriveState<Message> {
  const stage = state.stage && afterLook(state.stage, isStageEnd)
  const next = { ...state, stage }
  if (state.phase === 'looking') {
    const outcome = isTooMany ? 'came-back-dead' : (next.ending.outcome ?? 'done')
    return startCount({ ...next, ending: { ...next.ending, outcome } }, commands)
  }
  if (isTooMany) return stop(next, { outcome: 'came-back-dead' }, commands)
  return goOn(next, commands)
}

/** Somebody deleted the queue, and what was left in it is gone. */
function loseQueue<Message extends TakenMessage>(
  state: RedriveState<Message>,
  commands: Commands<Message>,
): RedriveState<Message> {
  const { phase } = state
  if (phase === 'locking' || phase === 'looking' || phase === 'counting' || phase === 'over') return state
  const isHolding = phase === 'taking' || phase === 'giving-back'
  const gone = withPass(isHolding ? lose(state, []) : state, { isGone: true })
  return phase === 'taking' ? gone : endRun(gone, 'interrupted', 'queue-deleted', commands)
}

/** What was moved is accounted for, whatever went wrong then. */
function fail<Message extends TakenMessage>(
  state: RedriveState<Message>,
  isForbidden: boolean,
  commands: Commands<Message>,
): RedriveState<Message> {
  const interruption = isForbidden ? 'forbidden' : 'failed'
  const ended = { outcome: 'interrupted', interruption } as const
  switch (state.phase) {
    case 'taking':
    case 'resting':
      return stop(state, ended, commands)
    case 'preparing':
    case 'relocking':
    case 'giving-back':
      return endRun(state, state.ending.stopped ?? 'interrupted', interruption, commands)
    case 'looking':
      return startCount(state, commands)
    default:
      return state
  }
}
