import { countingGate, watchQueues } from './gate-state.ts'
import { emptyQueue, firstMessage, messagesOf, pushMessage, restOfQueue } from './message-queue.ts'
import { isEndless, msToNext } from './pace-state.ts'
import type { RedriveDecision, RedriveEvent, TakenMessage } from './redrive-event.ts'
import {
  type Commands,
  copyFlow,
  type FreshFlow,
  type RedriveFlow,
  type RedriveState,
  withFlow,
  withPass,
} from './redrive-state.ts'
import { isStageOpen } from './stage-state.ts'
import { beginWait, endWait, isSendable } from './wait-state.ts'
import { closeWindow, growWindow, isProofDue, shrinkWindow } from './window-state.ts'

/** A channel that the broker closed is opened again after ever longer waits. */
const mostClosures = 8
/** A message that was alone on this many connections when they broke is not tried again. */
const mostLostAlone = 2

type State<Message extends TakenMessage> = RedriveState<Message>

/** A message of those counted was delivered. */
export function takeMessage<Message extends TakenMessage>(
  before: State<Message>,
  { message, decision }: { readonly message: Message; readonly decision: RedriveDecision },
  commands: Commands<Message>,
): State<Message> {
  const state = countTaken(before)
  if (state.pass.walk === 'lost') return state // it is back already
  if (isStopping(state)) return holdStopped(state, message, commands)
  const { flow, settings } = state
  if (decision.kind === 'keep') {
    commands.push({ kind: 'hold', message, why: decision.reason })
    if (decision.reason === 'came-back') {
      // It arrived during the run, so it is not one of those that were counted at the start.
      commands.push({ kind: 'extend' })
      return state
    }
    return withFlow(state, { ...flow, kept: flow.kept + 1 })
  }
  if (flow.selected >= settings.limit) {
    commands.push({ kind: 'hold', message, why: 'over-the-limit' }, { kind: 'stop-taking' })
    return state
  }
  const next = copyFlow(flow)
  next.selected += 1
  next.waiting = pushMessage(flow.waiting, message)
  if (next.selected === settings.limit) commands.push({ kind: 'stop-taking' })
  return pump(withFlow(state, next), commands)
}

function countTaken<Message extends TakenMessage>(state: State<Message>): State<Message> {
  const flow = copyFlow(state.flow)
  flow.taken += 1
  if (flow.taken > 1) return withFlow(state, flow)
  // The queue is there, however long it takes to move the first message, and what it took back comes again.
  return { ...withPass(state, { unsettled: 0 }), flow, wait: endWait(state.wait, 'queue') }
}

/** Takes no more and publishes no more in this pass. */
export function isStopping({ ending, pass }: Pick<State<TakenMessage>, 'ending' | 'pass'>): boolean {
  return ending.stopped !== undefined || pass.isTimeUp
}

function holdStopped<Message extends TakenMessage>(
  state: State<Message>,
  message: Message,
  commands: Commands<Message>,
): State<Message> {
  commands.push({ kind: 'hold', message, why: 'stopped' })
  const { pass } = state
  return pass.isTimeUp ? { ...state, pass: { ...pass, gaveBack: pass.gaveBack + 1 } } : state
}

/** What waits for its turn stays in the queue. */
export function holdWaiting<Message extends TakenMessage>(
  before: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  let state = before
  const { again, waiting } = before.flow
  for (const message of messagesOf(again)) state = holdStopped(state, message, commands)
  for (const message of messagesOf(waiting)) state = holdStopped(state, message, commands)
  return withFlow(state, { ...state.flow, again: emptyQueue, waiting: emptyQueue })
}

/** The broker has it: only now may the old one go. */
export function confirmMessage<Message extends TakenMessage>(
  state: State<Message>,
  message: Message,
  commands: Commands<Message>,
): State<Message> {
  const isLost = state.pass.walk === 'lost'
  const flow = answer(state.flow, message)
  flow.confirmed += 1
  // Its queue has taken it back and hands it out once more: it is published once more, too.
  if (isLost) return withFlow(withPass(state, { unsettled: state.pass.unsettled + 1 }), flow)
  commands.push({ kind: 'ack', message })
  flow.unproved += 1
  flow.uncovered += 1
  const next = hasFaults(state) ? withPass(state, { closures: 0, lostAlone: 0 }) : state
  return pump(withFlow(next, flow), commands)
}

function hasFaults({ pass }: State<TakenMessage>): boolean {
  return pass.closures > 0 || pass.lostAlone > 0
}

/** This many more acks are proved. */
export function proveAcks<Message extends TakenMessage>(
  state: State<Message>,
  count: number,
  commands: Commands<Message>,
): State<Message> {
  const { flow } = state
  const proved = Math.min(count, flow.unproved)
  const unproved = flow.unproved - proved
  const proofs = Math.max(0, flow.proofs - 1)
  // Acks that had to wait for a change of consumers were not written when the last proof was asked for.
  const uncovered = proofs === 0 ? unproved : Math.min(flow.uncovered, unproved)
  const next = { ...flow, known: flow.known + proved, proofs, unproved, uncovered }
  return pump({ ...state, flow: next, window: growWindow(state.window, proved) }, commands)
}

/** No queue took it, or one refused it: it stays. */
export function failMessage<Message extends TakenMessage>(
  state: State<Message>,
  message: Message,
  commands: Commands<Message>,
): State<Message> {
  const flow = answer(state.flow, message)
  if (state.pass.walk === 'lost') return withFlow(state, flow)
  commands.push({ kind: 'hold', message, why: 'failed' })
  return pump(withFlow(state, { ...flow, failed: flow.failed + 1 }), commands)
}

/** Notes who refused, so that another pass can be made when they have leaders. */
export function noteRefusal<Message extends TakenMessage>(
  state: State<Message>,
  { queues, mayBeThere }: { readonly queues: readonly string[]; readonly mayBeThere: boolean },
): State<Message> {
  const { pass } = state
  const added = queues.filter((queue) => !pass.refusing.includes(queue))
  const refusing = added.length === 0 ? pass.refusing : [...pass.refusing, ...added]
  const isRefusalAmbiguous = pass.isRefusalAmbiguous || queues.length !== 1
  return countMayBeThere({ ...state, pass: { ...pass, refusing, isRefusalAmbiguous } }, mayBeThere)
}

export function countMayBeThere<Message extends TakenMessage>(
  state: State<Message>,
  mayBeThere: boolean,
): State<Message> {
  if (!mayBeThere) return state
  return { ...state, counts: { ...state.counts, mayBeThere: state.counts.mayBeThere + 1 } }
}

/** Nobody knows whether the broker has it. If in doubt, it is published again. */
export function missAnswer<Message extends TakenMessage>(
  before: State<Message>,
  event: Extract<RedriveEvent<Message>, { kind: 'unanswered' }>,
  commands: Commands<Message>,
): State<Message> {
  const { message, cause, largestBytes } = event
  const wasAlone = before.flow.isAlone && before.flow.unanswered === 1
  // If the broker closed the channel over a message, it has not taken it.
  const isRefused = wasAlone && (cause === 'closed' || cause === 'at-fault')
  const state = learnSize(countMayBeThere(before, event.mayBeThere && !isRefused), largestBytes)
  if (state.pass.walk === 'lost') return withFlow(state, answer(state.flow, message))
  switch (cause) {
    case 'deadline':
      return failMessage(withPass(state, { isUnanswered: true }), message, commands)
    case 'at-fault':
      return failMessage(state, message, commands)
    case 'closed': {
      const isTooLarge = message.bytes > state.pass.largestBytes
      if (!wasAlone || isTooLarge)
        return tryAgain({ ...state, window: closeWindow(state.window) }, message, commands)
      const closures = state.pass.closures + 1
      const failed = failMessage(withPass(state, { closures }), message, commands)
      return closures < mostClosures ? failed : stopOverClosures(failed, commands)
    }
    case 'connection-lost': {
      const lostAlone = wasAlone ? state.pass.lostAlone + 1 : state.pass.lostAlone
      const next = withPass(awaitConnection(state, commands), { lostAlone })
      return wasAlone && lostAlone >= mostLostAlone
        ? failMessage(withPass(next, { isUnanswered: true, lostAlone: 0 }), message, commands)
        : tryAgain(next, message, commands)
    }
    case 'unsent':
      return tryAgain(state, message, commands)
  }
}

/** Nothing more goes before there is a connection again: with it, what was taken may be lost as well, and comes back. */
function awaitConnection<Message extends TakenMessage>(
  state: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  if (state.wait.awaited.publishing) return state
  commands.push({ kind: 'await-connection' })
  return { ...state, wait: beginWait(state.wait, 'publishing'), window: shrinkWindow(state.window) }
}

function learnSize<Message extends TakenMessage>(
  state: State<Message>,
  largestBytes: number | undefined,
): State<Message> {
  if (largestBytes === undefined || largestBytes >= state.pass.largestBytes) return state
  return withPass(state, { largestBytes })
}

function tryAgain<Message extends TakenMessage>(
  state: State<Message>,
  message: Message,
  commands: Commands<Message>,
): State<Message> {
  const flow = answer(state.flow, message)
  if (isStopping(state)) return holdStopped(withFlow(state, flow), message, commands)
  return pump(withFlow(state, { ...flow, again: pushMessage(flow.again, message) }), commands)
}

function stopOverClosures<Message extends TakenMessage>(
  state: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  commands.push({ kind: 'stop-taking' })
  const { ending } = state
  const stopped = ending.stopped ?? 'interrupted'
  const interruption = ending.stopped === undefined ? 'no-progress' : ending.interruption
  return holdWaiting({ ...state, ending: { ...ending, stopped, interruption } }, commands)
}

function answer<Message extends TakenMessage>(
  flow: RedriveFlow<Message>,
  message: Message,
): FreshFlow<Message> {
  const answered = copyFlow(flow)
  answered.unanswered -= 1
  answered.unansweredBytes -= message.bytes
  return answered
}

/** Publishes what waits, as far as window, rate, targets and stages allow, and asks for proofs in time. */
export function pump<Message extends TakenMessage>(
  before: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  let state = before
  while (mayPublish(state)) {
    const { flow, gate } = state
    const isAgain = flow.again.size > 0
    const message = firstMessage(isAgain ? flow.again : flow.waiting)!
    if (message.bytes > state.pass.largestBytes) {
      commands.push({ kind: 'hold', message, why: 'too-large' })
      const selected = flow.selected - 1
      state = withFlow(state, { ...shifted(flow, isAgain), kept: flow.kept + 1, selected })
      continue
    }
    if (gate) {
      const watched = message.queues ? watchQueues(gate, message.queues) : gate
      if (watched.room <= 0) {
        state = askForDepths({ ...state, gate: watched }, commands)
        break
      }
      state = { ...state, gate: { ...watched, room: watched.room - 1 } }
    }
    if (!isEndless(state.pace)) {
      if (state.pace.tokens < 1) {
        state = askForTick(state, commands)
        break
      }
      state = { ...state, pace: { ...state.pace, tokens: state.pace.tokens - 1 } }
    }
    commands.push({ kind: 'publish', message })
    state = published(state, { message, isAgain })
  }
  return askForProof(askForLook(state, commands), commands)
}

function mayPublish({ flow, window, isPaused, wait, stage, ending, pass }: State<TakenMessage>): boolean {
  if (flow.waiting.size === 0 && flow.again.size === 0) return false
  if (flow.unanswered + flow.copying + flow.unproved >= window.size) return false
  if (flow.unansweredBytes >= window.mostBytes) return false
  if (isPaused || ending.stopped !== undefined || pass.isTimeUp) return false
  return isSendable(wait) && (stage === undefined || isStageOpen(stage))
}

function published<Message extends TakenMessage>(
  state: State<Message>,
  { message, isAgain }: { message: Message; isAgain: boolean },
): State<Message> {
  const { flow, stage } = state
  const next = copyFlow(flow)
  next.isAlone = flow.unanswered === 0
  next.unanswered += 1
  next.unansweredBytes += message.bytes
  if (isAgain) next.again = restOfQueue(flow.again)
  else next.waiting = restOfQueue(flow.waiting)
  if (!stage) return withFlow(state, next)
  return { ...state, flow: next, stage: { ...stage, sent: stage.sent + 1 } }
}

function shifted<Message extends TakenMessage>(
  flow: RedriveFlow<Message>,
  isAgain: boolean,
): RedriveFlow<Message> {
  return isAgain
    ? { ...flow, again: restOfQueue(flow.again) }
    : { ...flow, waiting: restOfQueue(flow.waiting) }
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
  const isStageEnd = stage.sent >= stage.limit && flow.waiting.size + flow.again.size > 0
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
  const isFull = flow.unanswered + flow.copying + flow.unproved >= window.size
  // A look, too, waits until everything is proved.
  const isWanted = isFull || (stage !== undefined && !isStageOpen(stage))
  if (!isProofDue({ size: window.size, uncovered: flow.uncovered, proofs: flow.proofs, isFull: isWanted }))
    return state
  commands.push({ kind: 'prove-acks' })
  return withFlow(state, { ...flow, uncovered: 0, proofs: flow.proofs + 1 })
}
