import { holdStopped, holdWaiting, isStopping } from './hold-waiting.ts'
import { pump } from './pump.ts'
import type { RedriveEvent, TakenMessage } from './redrive-event.ts'
import {
  type Commands,
  copyFlow,
  type FreshFlow,
  type RedriveFlow,
  type RedriveState,
  withFlow,
  withPass,
} from './redrive-state.ts'
import { beginWait } from './wait-state.ts'
import { closeWindow, growWindow, shrinkWindow } from './window-state.ts'

/** A channel that the broker closed is opened again after ever longer waits. */
const mostClosures = 8
/** A message that was alone on so many connections when they broke is not tried once more. */
const mostLostAlone = 2

type State<Message extends TakenMessage> = RedriveState<Message>

/** The broker has them: only now may the old ones go. */
export function confirmMessages<Message extends TakenMessage>(
  state: State<Message>,
  messages: readonly Message[],
  commands: Commands<Message>,
): State<Message> {
  const count = messages.length
  const flow = answer(state.flow, messages)
  flow.confirmed += count
  // Their queue has taken them back and hands them out once more: they are published once more, too.
  if (state.pass.walk === 'lost')
    return withFlow(withPass(state, { unsettled: state.pass.unsettled + count }), flow)
  commands.push({ kind: 'ack', messages })
  flow.unproved += count
  flow.uncovered += count
  const next = hasFaults(state) ? withPass(state, { closures: 0, lostAlone: 0 }) : state
  return pump(withFlow(next, flow), commands)
}

function hasFaults({ pass }: State<TakenMessage>): boolean {
  return pass.closures > 0 || pass.lostAlone > 0
}

/** So many more acks are proved. */
export function proveAcks<Message extends TakenMessage>(
  state: State<Message>,
  { count, isAnswer }: { readonly count: number; readonly isAnswer: boolean },
  commands: Commands<Message>,
): State<Message> {
  const flow = copyFlow(state.flow)
  const proved = Math.min(count, flow.unproved)
  flow.known += proved
  flow.unproved -= proved
  flow.proofs = Math.max(0, flow.proofs - (isAnswer ? 1 : 0))
  // Acks that had to wait for a change of consumers were not written when the last proof was asked for.
  flow.uncovered = isAnswer && flow.proofs === 0 ? flow.unproved : Math.min(flow.uncovered, flow.unproved)
  const window = growWindow(state.window, proved)
  const next = withFlow(state, flow)
  return pump(window === state.window ? next : { ...next, window }, commands)
}

/** No queue took it, or one refused it: it stays. */
export function failMessage<Message extends TakenMessage>(
  state: State<Message>,
  message: Message,
  commands: Commands<Message>,
): State<Message> {
  const flow = answer(state.flow, [message])
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

/** Nobody knows whether the broker has it. In doubt it is published again. */
export function missAnswer<Message extends TakenMessage>(
  before: State<Message>,
  event: Extract<RedriveEvent<Message>, { kind: 'unanswered' }>,
  commands: Commands<Message>,
): State<Message> {
  const { message, cause, largestBytes } = event
  const wasAlone = before.flow.isAlone && before.flow.unanswered === 1
  // What the broker closed the channel for it has not taken.
  const isRefused = wasAlone && (cause === 'closed' || cause === 'at-fault')
  const state = learnSize(countMayBeThere(before, event.mayBeThere && !isRefused), largestBytes)
  if (state.pass.walk === 'lost') return withFlow(state, answer(state.flow, [message]))
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
  const flow = answer(state.flow, [message])
  if (isStopping(state)) return holdStopped(withFlow(state, flow), [message], commands)
  return pump(withFlow(state, { ...flow, again: [...flow.again, message] }), commands)
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
  messages: readonly Message[],
): FreshFlow<Message> {
  const answered = copyFlow(flow)
  answered.unanswered -= messages.length
  for (const { bytes } of messages) answered.unansweredBytes -= bytes
  return answered
}
