import { expect, it } from 'vitest'
import { createVirtualClock } from '../../embedded/model/virtual-clock.ts'
import type { Run } from './run.ts'
import { Runs } from './runs.ts'

/** One place, which a run that never ends has taken. */
function setup() {
  const clock = createVirtualClock(0)
  const givenBack: number[] = []
  const started: number[] = []
  const runs = new Runs({
    queue: 'work',
    options: { clock, concurrency: 1, timeoutMs: 5_000, longestHoldMs: 100, startWithinMs: 100 },
    breaker: { kind: 'closed', probes: undefined },
    mayBegin: () => true,
    handle: ({ delivery }) => started.push(delivery.deliveryTag),
    giveBack: ({ delivery }) => givenBack.push(delivery.deliveryTag),
  })
  let deliveryTag = 0
  const standing = { kind: 'free' } as const
  const receive = (orderKey: unknown) => {
    deliveryTag += 1
    const run = { delivery: { deliveryTag }, orderKey, receivedAtMs: clock.now(), place: -1, standing }
    runs.add(run as Partial<Run> as Run)
  }
  const advance = (untilMs: number) => {
    while (clock.step(untilMs));
  }
  receive('none')
  runs.begin()
  return { runs, receive, advance, givenBack, started }
}

it('what waited too long goes back with those of its key behind it, in their order', () => {
  const { runs, receive, advance, givenBack, started } = setup()
  for (const orderKey of ['a', 'b', undefined]) receive(orderKey)
  advance(50)
  for (const orderKey of ['c', undefined, 'b', 'a']) receive(orderKey)

  advance(100)

  expect(givenBack).toEqual([2, 3, 4, 7, 8])
  expect([runs.counts.waiting, started]).toEqual([2, [1]])
})
