import { describe, expect, it } from 'vitest'
import { createVirtualClock } from '../../embedded/model/virtual-clock.ts'
import { acknowledge } from '../decide/decide-outcome.ts'
import type { DeliveryResult } from './delivery-result.ts'
import type { Run } from './run.ts'
import { Runs } from './runs.ts'

/** One place, which a run that never ends by itself has taken. */
function setup() {
  const clock = createVirtualClock(0)
  const givenBack: number[] = []
  const started: number[] = []
  /** What was told of which run, and how many had a place by then. */
  const told: unknown[] = []
  const runs = new Runs({
    queue: 'work',
    options: { clock, concurrency: 1, timeoutMs: 5_000, longestHoldMs: 100, startWithinMs: 100 },
    breaker: { kind: () => 'closed', probes: () => undefined },
    mayBegin: () => true,
    handle: ({ delivery }) => started.push(delivery.deliveryTag),
    tell: ({ delivery }, { kind, outcome }) => {
      if (outcome.kind === 'give-back') givenBack.push(delivery.deliveryTag)
      told.push([delivery.deliveryTag, kind, runs.counts.running])
    },
  })
  let deliveryTag = 0
  const standing = { kind: 'free' } as const
  const receive = (orderedBy: unknown, add: 'add' | 'addUrgent' = 'add') => {
    deliveryTag += 1
    const delivery = { deliveryTag, isCurrent: true, nack: () => 'sent' }
    const order = { orderedBy, orderKey: orderedBy, ignoresLimit: false }
    const run = { delivery, ...order, receivedAtMs: clock.now(), place: -1, standing } as unknown as Run
    runs[add](run)
    return run
  }
  const advance = (untilMs: number) => {
    while (clock.step(untilMs));
  }
  const first = receive('none')
  runs.begin()
  return { runs, first, receive, advance, givenBack, started, told }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('what waited too long goes back with those of its key behind it, in their order', () => {
  const { runs, receive, advance, givenBack, started } = setup()
  for (const orderKey of ['a', 'b', undefined]) receive(orderKey)
  advance(50)
  for (const orderKey of ['c', undefined, 'b', 'a']) receive(orderKey)

  advance(100)

  expect(givenBack).toEqual([2, 3, 4, 7, 8])
  expect([runs.counts.waiting, started]).toEqual([2, [1]])
})

describe('the result of a run', () => {
  const settled: DeliveryResult = { kind: 'settled', outcome: acknowledge, isAcknowledged: true }
  const hold = (why: 'deferred' | 'probe-failed'): DeliveryResult => ({
    kind: 'kept',
    outcome: { kind: 'hold', why, untilMs: 20 },
  })
  const notRecounted: DeliveryResult = {
    kind: 'not-recounted',
    outcome: { kind: 'recount', why: 'near-limit', deliveries: 3 },
  }

  it('is told when its place is free, and before the next one starts', async () => {
    const { runs, first, receive, started, told } = setup()
    receive(undefined)

    runs.ended(first, settled)

    expect([told, started]).toEqual([[[1, 'settled', 0]], [1]])
    await nextTurn()
    expect(started).toEqual([1, 2])
  })

  it('that keeps it leaves its place to others until its time', async () => {
    const { runs, first, receive, advance, started } = setup()
    receive(undefined)

    runs.ended(first, hold('deferred'))
    await nextTurn()

    expect([runs.counts, started]).toEqual([{ waiting: 0, running: 1, held: 1 }, [1, 2]])
    advance(20)
    expect(runs.counts).toEqual({ waiting: 1, running: 1, held: 0 })
  })

  it('whose channel is gone keeps nothing', () => {
    const { runs, first } = setup()
    Object.assign(first.delivery, { isCurrent: false })

    runs.ended(first, hold('deferred'))

    expect(runs.counts).toEqual({ waiting: 0, running: 0, held: 0 })
  })

  it('of a probe that failed sends it back into the line, and nothing of its key before it', () => {
    const { runs, first, receive, started, told } = setup()
    receive('none')

    runs.ended(first, hold('probe-failed'))

    expect([told, started]).toEqual([[[1, 'kept', 1]], [1, 1]])
  })

  it('that it could not leave without its turn lets it wait for that, and its limit is looked at no more', async () => {
    const { runs, first, receive, started } = setup()
    receive('a')
    const urgent = receive('a', 'addUrgent')
    expect(started).toEqual([1, 3])

    runs.ended(urgent, notRecounted)
    expect([urgent.orderKey, urgent.ignoresLimit, runs.counts.waiting]).toEqual(['a', true, 2])
    runs.ended(first, settled)
    await nextTurn()

    expect(started).toEqual([1, 3, 2])
  })

  it('of a consumer that closes returns what could not leave', () => {
    const { runs, receive, givenBack } = setup()
    const urgent = receive(undefined, 'addUrgent')
    runs.stopStarting()

    runs.ended(urgent, notRecounted)

    expect(givenBack).toEqual([2])
  })
})
