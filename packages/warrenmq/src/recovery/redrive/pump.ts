import { countingGate, type GateState, watchQueues } from './gate-state.ts'
import { isEndless, msToNext, type PaceState } from './pace-state.ts'
import type { TakenMessage } from './redrive-event.ts'
import {
  type Commands,
  copyFlow,
  type FreshFlow,
  type RedriveFlow,
  type RedriveState,
  withFlow,
} from './redrive-state.ts'
import { isStageOpen, type StageState } from './stage-state.ts'
import { isSendable } from './wait-state.ts'
import { isProofDue, type WindowState } from './window-state.ts'

type State<Message extends TakenMessage> = RedriveState<Message>

/** Publishes what waits, as far as window, rate, targets and stages allow, and asks for proofs in time. */
export function pump<Message extends TakenMessage>(
  before: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  const state = mayPublish(before) ? publishWaiting(before, commands) : before
  return askForProof(askForLook(state, commands), commands)
}

function mayPublish({ flow, isPaused, wait, ending, pass }: State<TakenMessage>): boolean {
  if (flow.waiting.length === 0 && flow.again.length === 0) return false
  return !isPaused && ending.stopped === undefined && !pass.isTimeUp && isSendable(wait)
}

/** What changes while messages are sent, one after the other; nobody else has seen it. */
interface Sending<Message extends TakenMessage> {
  readonly flow: FreshFlow<Message>
  gate: GateState | undefined
  pace: PaceState
  stage: StageState | undefined
}

function publishWaiting<Message extends TakenMessage>(
  state: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  const { window, pass, gate, pace, stage } = state
  const { again, waiting } = state.flow
  const sending: Sending<Message> = { flow: copyFlow(state.flow), gate, pace, stage }
  const { flow } = sending
  const turns = again.length === 0 ? waiting : [...again, ...waiting]
  const messages: Message[] = []
  let ask: typeof askForTick<Message> = (after) => after
  let next = 0
  for (; next < turns.length && mayGo(sending, window); next += 1) {
    const message = turns[next]!
    if (message.bytes > pass.largestBytes) {
      commands.push({ kind: 'hold', message, why: 'too-large' })
      flow.kept += 1
      flow.selected -= 1
    } else if (!isEndless(sending.pace) && sending.pace.tokens < 1) {
      ask = askForTick
      break
    } else if (!openGateFor(sending, message)) {
      ask = askForDepths
      break
    } else {
      messages.push(message)
      countSent(sending, message)
    }
  }
  flow.again = again.slice(next)
  flow.waiting = waiting.slice(Math.max(0, next - again.length))
  if (messages.length > 0) commands.push({ kind: 'publish', messages })
  return ask(withSending(state, sending), commands)
}

function mayGo({ flow, stage }: Sending<TakenMessage>, window: WindowState): boolean {
  return hasRoom(flow, window) && (stage === undefined || isStageOpen(stage))
}

function hasRoom(flow: RedriveFlow<TakenMessage>, { size, mostBytes }: WindowState): boolean {
  return flow.unanswered + flow.copying + flow.unproved < size && flow.unansweredBytes < mostBytes
}

/** False: no room was counted in the queues that it would be put into. */
function openGateFor(sending: Sending<TakenMessage>, { queues }: TakenMessage): boolean {
  if (!sending.gate) return true
  sending.gate = queues ? watchQueues(sending.gate, queues) : sending.gate
  return sending.gate.room > 0
}

function countSent(sending: Sending<TakenMessage>, { bytes }: TakenMessage): void {
  const { flow, gate, pace, stage } = sending
  flow.isAlone = flow.unanswered === 0
  flow.unanswered += 1
  flow.unansweredBytes += bytes
  if (gate) sending.gate = { ...gate, room: gate.room - 1 }
  if (!isEndless(pace)) sending.pace = { ...pace, tokens: pace.tokens - 1 }
  if (stage) sending.stage = { ...stage, sent: stage.sent + 1 }
}

function withSending<Message extends TakenMessage>(
  state: State<Message>,
  { flow, gate, pace, stage }: Sending<Message>,
): State<Message> {
  const next = withFlow(state, flow)
  const isSame = gate === state.gate && pace === state.pace && stage === state.stage
  return isSame ? next : { ...next, gate, pace, stage }
}

function askForDepths<Message extends TakenMessage>(
  state: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  const { gate, flow } = state
  if (!gate || gate.isCounting) return state
  commands.push({ kind: 'count-targets', queues: gate.queues, isSoon: !gate.wasFull })
  return { ...state, gate: countingGate(gate, flow.unanswered) }
}

function askForTick<Message extends TakenMessage>(
  state: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  if (state.pace.isWaking) return state
  commands.push({ kind: 'wake', ms: msToNext(state.pace) })
  return { ...state, pace: { ...state.pace, isWaking: true } }
}

/** Between two stages nothing is in flight while the run looks for messages that come back. */
function askForLook<Message extends TakenMessage>(
  state: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  const { stage, flow, ending } = state
  if (!stage || stage.isLooking || flow.unanswered > 0 || ending.stopped !== undefined) return state
  const isStageEnd = stage.sent >= stage.limit && flow.waiting.length + flow.again.length > 0
  if (!isStageEnd && !stage.isSuspected) return state
  if (flow.unproved > 0) return state // the count would be off by them
  commands.push({ kind: 'look-for-dead', isStageEnd: stage.sent >= stage.limit })
  return { ...state, stage: { ...stage, isLooking: true } }
}

function askForProof<Message extends TakenMessage>(
  state: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  const { flow, window, stage } = state
  if (flow.uncovered === 0) return state
  const isFull = flow.waiting.length + flow.again.length > 0 && !hasRoom(flow, window)
  // A look, too, waits until everything is proved.
  const isWanted = isFull || (stage !== undefined && !isStageOpen(stage))
  if (!isProofDue({ size: window.size, uncovered: flow.uncovered, proofs: flow.proofs, isFull: isWanted }))
    return state
  commands.push({ kind: 'prove-acks' })
  return withFlow(state, { ...flow, uncovered: 0, proofs: flow.proofs + 1 })
}
