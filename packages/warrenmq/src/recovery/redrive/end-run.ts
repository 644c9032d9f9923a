import type { Interruption, RedriveOutcome } from '../receipt/receipt.ts'
import type { TakenMessage } from './redrive-event.ts'
import { type Commands, enterPhase, type RedriveState } from './redrive-state.ts'

type State<Message extends TakenMessage> = RedriveState<Message>

/** It must stop: it looks for messages of the last stage that come back, counts the queue, and then it is over. */
export function endRun<Message extends TakenMessage>(
  state: State<Message>,
  outcome: RedriveOutcome,
  interruption: Interruption | undefined,
  commands: Commands<Message>,
): State<Message> {
  const ended = { ...state, ending: { ...state.ending, outcome, interruption } }
  if (outcome === 'done' && state.settings.canary && state.stage && state.phase !== 'preparing') {
    commands.push({ kind: 'look-for-dead', isStageEnd: true })
    return enterPhase(ended, 'looking')
  }
  return startCount(ended, commands)
}

export function startCount<Message extends TakenMessage>(
  state: State<Message>,
  commands: Commands<Message>,
): State<Message> {
  commands.push({ kind: 'count', isOurs: !isGivenUp(state) })
  return enterPhase(state, 'counting')
}

/** The queue is somebody else's or gone, or was waited for too long already. */
function isGivenUp({ ending }: State<TakenMessage>): boolean {
  const { outcome, interruption } = ending
  const isOurs = interruption === 'node-lost' || interruption === 'failed' || interruption === 'forbidden'
  return outcome === 'interrupted' && !isOurs
}
