import type { Interruption, RedriveOutcome } from '../receipt/receipt.ts'
import { ageAcks } from './crash-state.ts'
import { endPassWhenIdle, tryTake } from './end-pass.ts'
import { holdWaiting } from './hold-waiting.ts'
import { fillPace } from './pace-state.ts'
import { pump } from './pump.ts'
import type { TakenMessage } from './redrive-event.ts'
import { type Commands, copyState, movedOf, type RedriveState } from './redrive-state.ts'
import { isSendable, isWaiting } from './wait-state.ts'

type State<Message extends TakenMessage> = RedriveState<Message>

/** A run that was told to stop waits this long for a broker that is away. */
const patienceMs = 2_000
const tellEveryMs = 1_000

/** Takes no more; what is in flight is finished. */
export function stop<Message extends TakenMessage>(
  state: State<Message>,
  { outcome, interruption }: { outcome: RedriveOutcome; interruption?: Interruption | undefined },
  commands: Commands<Message>,
): State<Message> {
  const { ending, phase } = state
  if (ending.stopped !== undefined || phase === 'over') return state
  const stopped: State<Message> = {
    ...state,
    ending: { ...ending, stopped: outcome, interruption: interruption ?? ending.interruption },
  }
  if (phase === 'resting') return tryTake(stopped, commands)
  if (phase !== 'taking') return stopped
  if (state.pass.walk === 'on') commands.push({ kind: 'stop-taking' })
  return holdWaiting(stopped, commands)
}

/** Time passes. */
export function tick<Message extends TakenMessage>(
  before: State<Message>,
  ms: number,
  commands: Commands<Message>,
): State<Message> {
  const { pass } = before
  const filled: State<Message> = {
    ...before,
    pace: fillPace(before.pace, ms),
    crash: before.wait.awaited.consuming
      ? before.crash
      : ageAcks(before.crash, { ms, moved: movedOf(before) }),
    pass: pass.restMs > 0 ? { ...pass, restMs: Math.max(0, pass.restMs - ms) } : pass,
  }
  const waited = passPatience(passWait(filled, ms, commands), ms, commands)
  return tryTake(pump(copyState(abandonIfAway(waited, commands)), commands), commands)
}

/** While it is paused nothing is wanted of the broker, and so nothing is waited for. */
function passWait<Message extends TakenMessage>(
  state: State<Message>,
  ms: number,
  commands: Commands<Message>,
): State<Message> {
  const { wait, isPaused, settings } = state
  if (!isWaiting(wait)) return state
  if (isPaused) return { ...state, wait: { ...wait, waitedMs: 0 } }
  const waitedMs = wait.waitedMs + ms
  const every = Math.min(tellEveryMs, settings.waitMs)
  if (Math.floor(waitedMs / every) > Math.floor(wait.waitedMs / every))
    commands.push({ kind: 'tell-wait', ms: waitedMs })
  const told = { ...state, wait: { ...wait, waitedMs } }
  if (waitedMs < settings.waitMs) return told
  const over = stop(told, { outcome: 'interrupted', interruption: 'away' }, commands)
  return losePatience(over, commands)
}

function passPatience<Message extends TakenMessage>(
  state: State<Message>,
  ms: number,
  commands: Commands<Message>,
): State<Message> {
  const { ending } = state
  if (ending.stopped === undefined || ending.isPatienceLost) return state
  const stoppedMs = ending.stoppedMs + ms
  const passed = { ...state, ending: { ...ending, stoppedMs } }
  return stoppedMs >= patienceMs ? losePatience(passed, commands) : passed
}

function losePatience<Message extends TakenMessage>(
  state: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  if (state.ending.isPatienceLost) return state
  commands.push({ kind: 'lose-patience' })
  return { ...state, ending: { ...state.ending, isPatienceLost: true } }
}

/**
 * A run that is told to stop does not wait for answers that cannot come: those publishes may be there. Except while a
 * copy is in flight without which giving a message back would delete it.
 */
export function abandonIfAway<Message extends TakenMessage>(
  state: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  const { ending, wait, flow, counts, pass } = state
  if (!ending.isPatienceLost || isSendable(wait) || state.phase !== 'taking') return state
  if (flow.copying > 0 && pass.walk !== 'lost') return state
  const abandoned: State<Message> = {
    ...state,
    counts: { ...counts, mayBeThere: counts.mayBeThere + flow.unanswered },
    flow: { ...flow, unanswered: 0, unansweredBytes: 0, copying: 0 },
    ending: { ...ending, isAbandoned: true },
  }
  return endPassWhenIdle(abandoned, commands)
}
