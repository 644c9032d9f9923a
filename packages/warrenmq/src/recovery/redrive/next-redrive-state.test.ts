import { expect, it } from 'vitest'
import { nextRedriveState } from './next-redrive-state.ts'
import type { RedriveCommand } from './redrive-command.ts'
import type { RedriveEvent, TakenMessage } from './redrive-event.ts'
import { startRedriveState } from './redrive-state.ts'

type Event = RedriveEvent<TakenMessage>

/** Waits ten milliseconds for a broker that is away. */
const settings = {
  window: { messages: 2, bytes: 1_000 },
  limit: Number.POSITIVE_INFINITY,
  ratePerSecond: undefined,
  canary: undefined,
  isWatched: false,
  stopWhenTargetAbove: undefined,
  waitMs: 10,
}

const begun: readonly Event[] = [
  { kind: 'started' },
  { kind: 'locked' },
  {
    kind: 'prepared',
    depth: 2,
    otherConsumers: 0,
    returnLimit: undefined,
    returnsInMs: 0,
    prefetch: 2,
    inOverLimitQueue: 0,
  },
]
const lost: readonly Event[] = [{ kind: 'disconnected', connection: 'consuming' }, { kind: 'lost' }]
const givenUp: readonly Event[] = [
  { kind: 'tick', ms: 10 },
  { kind: 'relocked', held: 'away' },
  { kind: 'counted', count: { kind: 'uncounted' } },
]

function lastCommandAfter(events: readonly Event[]): RedriveCommand<TakenMessage> | undefined {
  let state = startRedriveState<TakenMessage>(settings)
  let last: RedriveCommand<TakenMessage> | undefined
  for (const event of events) {
    const step = nextRedriveState(state, event)
    state = step.state
    last = step.commands.at(-1) ?? last
  }
  return last
}

it('a broker that does not come back in time is away', () => {
  const end = lastCommandAfter([...begun, ...lost, ...givenUp])

  expect(end).toEqual({ kind: 'finish', outcome: 'interrupted', interruption: 'away' })
})

it('a broker that does not let the user in again is not away: it is forbidden', () => {
  const end = lastCommandAfter([...begun, ...lost, { kind: 'refused' }, ...givenUp])

  expect(end).toEqual({ kind: 'finish', outcome: 'interrupted', interruption: 'forbidden' })
})

it('a user who was let in again, and whose broker is lost after that, was not forbidden anything', () => {
  const back: readonly Event[] = [
    { kind: 'refused' },
    { kind: 'connected', connection: 'consuming' },
    { kind: 'disconnected', connection: 'consuming' },
  ]

  const end = lastCommandAfter([...begun, ...lost, ...back, ...givenUp])

  expect(end).toEqual({ kind: 'finish', outcome: 'interrupted', interruption: 'away' })
})
