import type { TakenMessage } from './redrive-event.ts'
import { type Commands, type RedriveState, withFlow } from './redrive-state.ts'

type State<Message extends TakenMessage> = RedriveState<Message>

/** Takes no more and publishes no more in this pass. */
export function isStopping({ ending, pass }: Pick<State<TakenMessage>, 'ending' | 'pass'>): boolean {
  return ending.stopped !== undefined || pass.isTimeUp
}

/** What waits for its turn stays in the queue. */
export function holdWaiting<Message extends TakenMessage>(
  state: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  const { again, waiting } = state.flow
  const held = holdStopped(state, [...again, ...waiting], commands)
  return withFlow(held, { ...held.flow, again: [], waiting: [] })
}

export function holdStopped<Message extends TakenMessage>(
  state: State<Message>,
  messages: readonly Message[],
  commands: Commands<Message>,
): State<Message> {
  for (const message of messages) commands.push({ kind: 'hold', message, why: 'stopped' })
  const { pass } = state
  return pass.isTimeUp ? { ...state, pass: { ...pass, gaveBack: pass.gaveBack + messages.length } } : state
}
