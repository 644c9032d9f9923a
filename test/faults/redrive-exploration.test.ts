import { afterAll, expect, test } from 'vitest'
import {
  nextRedriveState,
  type RedriveStep,
} from '../../packages/warrenmq/src/recovery/redrive/next-redrive-state.ts'
import type { RedriveCommand } from '../../packages/warrenmq/src/recovery/redrive/redrive-command.ts'
import { exploreWorlds } from './explore-worlds.ts'
import {
  type Faults,
  noFaults,
  type Transition,
  type WorldEvent,
  type WorldMessage,
  type WorldRules,
  type WorldState,
} from './redrive-world.ts'

/** Beside lost connections. */
const everyFault = { returned: 1, nacked: 1, unanswered: 1, arrivals: 1, cancels: 1 }

const worlds: readonly (Omit<WorldRules, 'faults'> & { readonly faults: Partial<Faults> })[] = [
  { messages: 3, window: 2, faults: { lostConsuming: 2 } },
  { messages: 3, window: 2, faults: { lostConsuming: 1, lostPublishing: 1 } },
  { messages: 3, window: 2, faults: { lostBoth: 1, cancels: 1 } },
  { messages: 2, window: 2, faults: { lostBoth: 1, lostConsuming: 1, arrivals: 1 } },
  { messages: 3, window: 1, faults: { lostConsuming: 1, lostPublishing: 1, cancels: 1 } },
  { messages: 3, window: 2, faults: { lostConsuming: 1, arrivals: 1, cancels: 1 } },
  { messages: 2, window: 2, faults: { lostConsuming: 2, arrivals: 2 } },
  { messages: 3, window: 2, kept: [1], faults: { lostConsuming: 1, returned: 1, cancels: 1 } },
  // Two lost connections, everything that a publish can come to, an arrival, and a cancel at any moment.
  { messages: 3, window: 2, faults: { ...everyFault, lostConsuming: 2 } },
  { messages: 3, window: 2, faults: { ...everyFault, lostConsuming: 1, lostPublishing: 1 } },
  { messages: 3, window: 2, faults: { ...everyFault, lostPublishing: 2 } },
  { messages: 2, window: 2, faults: { lostConsuming: 1, lostPublishing: 1, unanswered: 1, cancels: 1 } },
  { messages: 2, window: 2, faults: { lostPublishing: 2, nacked: 1, cancels: 1 } },
  { messages: 3, window: 2, limit: 2, faults: { lostConsuming: 1, arrivals: 1 } },
  { messages: 2, window: 2, faults: { lostConsuming: 1, pauses: 1, cancels: 1 } },
  { messages: 3, window: 2, faults: { crashes: 1, cancels: 1 } },
  { messages: 3, window: 2, faults: { lostNodes: 1 } },
  { messages: 2, window: 2, faults: { lostNodes: 1, arrivals: 1, lostConsuming: 1 } },
  { messages: 2, window: 2, faults: { crashes: 2 } },
  { messages: 2, window: 2, faults: { crashes: 1, arrivals: 1, lostConsuming: 1 } },
  { messages: 3, window: 2, kept: [1], limit: 1, faults: { crashes: 1, arrivals: 1 } },
  // So few are sent ahead that deliveries prove acks.
  { messages: 3, window: 2, prefetch: 2, faults: { lostConsuming: 2 } },
  { messages: 3, window: 2, prefetch: 1, faults: { lostBoth: 1, cancels: 1, arrivals: 1 } },
  { messages: 3, window: 2, prefetch: 1, faults: { crashes: 1, returned: 1 } },
]

/** The largest world takes forty seconds of one processor, which a busy machine may give late. */
const patienceMs = 20 * 60_000

const sums = { states: 0, transitions: 0, endings: 0 }

afterAll(() =>
  console.log(
    `Explored ${sums.states} states by ${sums.transitions} transitions, ${sums.endings} of them ends.`,
  ),
)

test.each(worlds)(
  'nowhere in the world %j is a message lost, a receipt false, or a run without an end',
  (world) => {
    const explored = exploreWorlds({ ...world, faults: { ...noFaults, ...world.faults } })
    sums.states += explored.states
    sums.transitions += explored.transitions
    sums.endings += explored.endings

    expect(explored.endings).toBeGreaterThan(10)
  },
  patienceMs,
)

type Step = RedriveStep<WorldMessage>

const small = { ...noFaults, lostConsuming: 1, cancels: 1 }
const answers = { ...noFaults, returned: 1, nacked: 1, unanswered: 1 }

/** A transition function with a mistake: what it is told, or what it says, is changed. */
function mistaken(change: (step: Step, event: WorldEvent, before: WorldState) => Step): Transition {
  return (state, event) => change(nextRedriveState(state, event), event, state)
}

/** It takes one thing that happens for another. */
function misled(read: (event: WorldEvent) => WorldEvent): Transition {
  return (state, event) => nextRedriveState(state, read(event))
}

const without = (step: Step, kind: string): Step => ({
  ...step,
  commands: step.commands.filter((command) => command.kind !== kind),
})

/** It does something more whenever it publishes. */
function besidePublish(
  more: (messages: readonly WorldMessage[]) => RedriveCommand<WorldMessage>,
): Transition {
  return mistaken((step) => {
    const commands: RedriveCommand<WorldMessage>[] = []
    for (const command of step.commands) {
      commands.push(command)
      if (command.kind === 'publish') commands.push(more(command.messages))
    }
    return { ...step, commands }
  })
}

const asConfirmed = (kind: WorldEvent['kind']): Transition =>
  misled((event) =>
    event.kind === kind && 'message' in event ? { kind: 'confirmed', messages: [event.message] } : event,
  )

const mistakes: readonly (readonly [string, Transition, Faults, RegExp])[] = [
  [
    'acknowledges before the confirm',
    besidePublish((messages) => ({ kind: 'ack', messages })),
    noFaults,
    /nowhere|not in hand/,
  ],
  ['takes a return for a confirm', asConfirmed('returned'), answers, /nowhere/],
  ['takes a nack for a confirm', asConfirmed('nacked'), answers, /nowhere/],
  ['takes silence for a confirm', asConfirmed('unanswered'), answers, /nowhere|false/],
  ['forgets to hold what stays', mistaken((step) => without(step, 'hold')), answers, /nobody said/],
  [
    'forgets what waits when it is cancelled',
    (state, event) => {
      const step = nextRedriveState(state, event)
      return event.kind === 'cancel' ? without(step, 'hold') : step
    },
    small,
    /nobody said/,
  ],
  [
    'counts a move twice',
    mistaken((step, event) => {
      if (event.kind !== 'acks-known') return step
      const { flow } = step.state
      return { ...step, state: { ...step.state, flow: { ...flow, known: flow.known + event.count } } }
    }),
    small,
    /false|below|nobody took/,
  ],
  [
    'counts an ack as proved when it is sent',
    mistaken((step, event) => {
      if (event.kind !== 'confirmed') return step
      const { flow } = step.state
      const known = flow.known + flow.unproved
      return { ...step, state: { ...step.state, flow: { ...flow, known, unproved: 0, uncovered: 0 } } }
    }),
    small,
    /false|copies/,
  ],
  [
    'believes that a delivery proves every ack',
    mistaken((step, event) => {
      if (event.kind !== 'delivered') return step
      const { flow } = step.state
      const known = flow.known + flow.unproved
      return { ...step, state: { ...step.state, flow: { ...flow, known, unproved: 0, uncovered: 0 } } }
    }),
    small,
    /false|copies/,
  ],
  [
    'acknowledges only the first of those confirmed at once',
    mistaken((step) => ({
      ...step,
      commands: step.commands.map((command) =>
        command.kind === 'ack' ? { ...command, messages: command.messages.slice(0, 1) } : command,
      ),
    })),
    noFaults,
    /nobody said/,
  ],
  [
    'leaves acks that are not proved out of the window',
    (state, event) => {
      if (event.kind !== 'confirmed' && event.kind !== 'delivered') return nextRedriveState(state, event)
      const { unproved } = state.flow
      const step = nextRedriveState({ ...state, flow: { ...state.flow, unproved: 0 } }, event)
      const flow = { ...step.state.flow, unproved: step.state.flow.unproved + unproved }
      return { ...step, state: { ...step.state, flow } }
    },
    small,
    /window is/,
  ],
  [
    'forgets that acks are in doubt after a loss',
    mistaken((step, event, before) => {
      if (event.kind !== 'lost') return step
      const counts = { ...step.state.counts, inDoubt: before.counts.inDoubt }
      return { ...step, state: { ...step.state, counts } }
    }),
    small,
    /false|counts would prove/,
  ],
  [
    'believes that acks in doubt have arrived',
    mistaken((step) => {
      const { counts } = step.state
      return { ...step, state: { ...step.state, counts: { ...counts, gone: counts.inDoubt } } }
    }),
    small,
    /false|nobody took|not done/,
  ],
  [
    'acknowledges on a channel that is gone',
    mistaken((step, event, before) =>
      event.kind === 'confirmed' && before.pass.walk === 'lost'
        ? { ...step, commands: [...step.commands, { kind: 'ack', messages: event.messages }] }
        : step,
    ),
    small,
    /not in hand/,
  ],
  [
    'publishes everything twice',
    besidePublish((messages) => ({ kind: 'publish', messages })),
    noFaults,
    /below zero|copies|not in hand|false/,
  ],
  [
    'gives back before every publish has its answer',
    (state, event) => {
      const step = nextRedriveState(state, event)
      if (event.kind !== 'walked' || step.state.phase !== 'taking') return step
      return nextRedriveState({ ...step.state, flow: { ...step.state.flow, unanswered: 0 } }, event)
    },
    noFaults,
    /nobody said|below zero|not in hand|copies/,
  ],
  ['never gives back', mistaken((step) => without(step, 'give-back')), noFaults, /stuck/],
  ['never asks for a proof', mistaken((step) => without(step, 'prove-acks')), noFaults, /stuck/],
  [
    'takes the lock again for ever',
    (state, event) =>
      event.kind === 'relocked' ? { state, commands: [{ kind: 'relock' }] } : nextRedriveState(state, event),
    small,
    /circle/,
  ],
  [
    'believes that no ack is undone',
    mistaken((step) => ({ ...step, state: { ...step.state, crash: { ...step.state.crash, undoable: 0 } } })),
    { ...noFaults, crashes: 1 },
    /false|not done/,
  ],
  [
    'counts one message too few',
    misled((event) => (event.kind === 'prepared' ? { ...event, depth: event.depth - 1 } : event)),
    noFaults,
    /false/,
  ],
]

test.each(mistakes)('a state machine that %s is found out', (_what, next, faults, problem) => {
  expect(() => exploreWorlds({ messages: 3, window: 2, faults, next })).toThrow(problem)
})
