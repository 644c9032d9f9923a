import { expect, it } from 'vitest'
import { createEvents } from '../../events.ts'
import { acknowledge } from '../decide/decide-outcome.ts'
import type { DeliveryResult } from '../run/delivery-result.ts'
import type { Run } from '../run/run.ts'
import type { ConsumerEvents } from './consumer-events.ts'
import { tellResult, tellUnplaced } from './tell-result.ts'

const names = ['delivery.settled', 'delivery.stale', 'delivery.held', 'settle.failed'] as const

function setup() {
  const events = createEvents<ConsumerEvents>()
  const told: unknown[] = []
  for (const name of names) events.on(name, (event) => void told.push({ name, ...event }))
  const warnings = { noWayOut: () => void told.push('warning') }
  const audience = { queue: 'work', events, warnings, clock: { now: () => 1_500 } }
  const run = { message: 'm1', failedBefore: 1, localFailures: 1, startedAtMs: 1_000 } as unknown as Run
  return { audience, told, run }
}

const who = { queue: 'work', message: 'm1', attempt: 3 }
const failed = { kind: 'hold', why: 'no-way-out', untilMs: 9 } as const
const deferred = { kind: 'hold', why: 'deferred', untilMs: 9 } as const
const nearLimit = { kind: 'recount', why: 'near-limit', deliveries: 3 } as const

it.each<[DeliveryResult, readonly unknown[]]>([
  [
    { kind: 'settled', outcome: acknowledge, isAcknowledged: true },
    [{ name: 'delivery.settled', ...who, outcome: acknowledge, durationMs: 500 }],
  ],
  [
    { kind: 'stale', outcome: acknowledge, isDone: true },
    [{ name: 'delivery.stale', ...who, outcome: acknowledge }],
  ],
  [{ kind: 'kept', outcome: deferred }, [{ name: 'delivery.held', ...who, outcome: deferred }]],
  [{ kind: 'kept', outcome: failed }, ['warning', { name: 'delivery.held', ...who, outcome: failed }]],
  [{ kind: 'kept', outcome: { kind: 'requeue', atMs: 9 } }, []],
  [{ kind: 'not-recounted', outcome: nearLimit }, []],
])('of %j is told', (result, expected) => {
  const { audience, told, run } = setup()
  tellResult(run, result, audience)
  expect(told).toEqual(expected)
})

it('nobody is told how long a handler took that was not run', () => {
  const { audience, told, run } = setup()
  run.startedAtMs = undefined
  tellResult(run, { kind: 'settled', outcome: acknowledge, isAcknowledged: true }, audience)
  expect(told).toMatchObject([{ durationMs: undefined }])
})

it('a copy without a place is told with the answer it got, and when it is tried again', () => {
  const { audience, told, run } = setup()
  const result = { kind: 'nacked', messageId: 'm1', mayBeDuplicate: false } as const
  tellUnplaced(run, { outcome: nearLimit, result, nextAttemptMs: 100, isPlaceAtFault: true }, audience)
  expect(told).toEqual([{ name: 'settle.failed', ...who, outcome: nearLimit, result, nextAttemptMs: 100 }])
})
