import { expect, it } from 'vitest'
import { acknowledge, type Outcome } from '../decide/decide-outcome.ts'
import type { DeliveryResult } from '../run/delivery-result.ts'
import type { Run } from '../run/run.ts'
import type { GiveBackMemory } from './give-back-memory.ts'
import type { LostAckMemory } from './lost-ack-memory.ts'
import { rememberResult } from './remember-result.ts'

/** What the memories are told of a result. */
function told(result: DeliveryResult, { isCurrent = true, wasGivenBack = false } = {}): readonly string[] {
  const calls: string[] = []
  const note = (name: string) => () => void calls.push(name)
  const lostAcks = {
    acknowledged: note('acknowledged'),
    handled: note('handled'),
    forget: note('forget'),
  } as Partial<LostAckMemory> as LostAckMemory
  const giveBacks = {
    gaveBack: note('gave back'),
    forget: note('was given back before'),
  } as Partial<GiveBackMemory> as GiveBackMemory
  const givenBack = wasGivenBack ? { times: 1, isLast: true } : undefined
  rememberResult({ delivery: { isCurrent }, givenBack } as unknown as Run, result, { lostAcks, giveBacks })
  return calls
}

const park: Outcome & { kind: 'dead-letter' } = {
  kind: 'dead-letter',
  reason: 'poison',
  attempt: 1,
  failure: {},
  park: { kind: 'reject' },
}
const settled = (outcome: typeof acknowledge | typeof park, isAcknowledged: boolean): DeliveryResult => ({
  kind: 'settled',
  outcome,
  isAcknowledged,
})
const stale = (isDone: boolean): DeliveryResult => ({ kind: 'stale', outcome: acknowledge, isDone })
const givenBack: DeliveryResult = {
  kind: 'settled',
  outcome: { kind: 'give-back' },
  isAcknowledged: false,
}
const kept: DeliveryResult = { kind: 'kept', outcome: { kind: 'requeue', atMs: 5 } }

it.each<[string, DeliveryResult, Parameters<typeof told>[1], readonly string[]]>([
  ['an ack may be lost with its channel', settled(acknowledge, true), {}, ['acknowledged']],
  ['a rejection is not remembered', settled(park, false), {}, []],
  ['a return is told from a crash', givenBack, {}, ['gave back']],
  ['and again', givenBack, { wasGivenBack: true }, ['gave back']],
  ['until it is settled', settled(park, false), { wasGivenBack: true }, ['was given back before']],
  ['what is done and not settled is acknowledged when it comes again', stale(true), {}, ['handled']],
  ['what is not done runs again', stale(false), {}, ['forget']],
  ['what is kept is still here', kept, {}, []],
  ['unless its channel is gone', kept, { isCurrent: false }, ['forget']],
])('%s', (_, result, run, expected) => {
  expect(told(result, run)).toEqual(expected)
})
