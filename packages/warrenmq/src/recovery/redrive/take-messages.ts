import { holdStopped, isStopping } from './hold-waiting.ts'
import { pump } from './pump.ts'
import type { TakenMessage } from './redrive-event.ts'
import {
  type Commands,
  copyFlow,
  type FreshFlow,
  type RedriveState,
  withFlow,
  withPass,
} from './redrive-state.ts'
import { endWait } from './wait-state.ts'

type State<Message extends TakenMessage> = RedriveState<Message>

/** Messages of those counted are in hand. */
export function takeMessages<Message extends TakenMessage>(
  before: State<Message>,
  messages: readonly Message[],
  commands: Commands<Message>,
): State<Message> {
  const state = before.flow.taken === 0 ? meetQueue(before) : before
  const flow = copyFlow(state.flow)
  flow.taken += messages.length
  if (state.pass.walk === 'lost') return withFlow(state, flow) // they are back already
  if (isStopping(state)) return holdStopped(withFlow(state, flow), messages, commands)
  const selected: Message[] = []
  for (const message of messages) decideOn(message, { flow, selected, limit: state.settings.limit, commands })
  flow.waiting = flow.waiting.length === 0 ? selected : [...flow.waiting, ...selected]
  return pump(withFlow(state, flow), commands)
}

/** The queue is there, however long it takes to move the first message, and what it took back comes again. */
function meetQueue<Message extends TakenMessage>(state: State<Message>): State<Message> {
  return { ...withPass(state, { unsettled: 0 }), wait: endWait(state.wait, 'queue') }
}

function decideOn<Message extends TakenMessage>(
  message: Message,
  pass: {
    readonly flow: FreshFlow<Message>
    readonly selected: Message[]
    readonly limit: number
    readonly commands: Commands<Message>
  },
): void {
  const { flow, selected, limit, commands } = pass
  const step = message.step!
  if (step.kind === 'keep') {
    commands.push({ kind: 'hold', message, why: step.reason })
    // One that came back arrived during the run, so it is none of those that were counted at the start.
    if (step.reason === 'came-back') commands.push({ kind: 'extend' })
    else flow.kept += 1
  } else if (flow.selected >= limit) {
    commands.push({ kind: 'hold', message, why: 'over-the-limit' }, { kind: 'stop-taking' })
  } else {
    flow.selected += 1
    selected.push(message)
    if (flow.selected === limit) commands.push({ kind: 'stop-taking' })
  }
}
