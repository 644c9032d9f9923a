import { expect, it } from 'vitest'
import { createTurnClock } from './turn-clock.ts'

it('asks for the time once for all that is done without a break, and again after it', async () => {
  let timeMs = 1_000
  const now = createTurnClock({ now: () => timeMs++ })

  expect([now(), now(), now()]).toEqual([1_000, 1_000, 1_000])
  await Promise.resolve()
  expect([now(), now()]).toEqual([1_001, 1_001])
})
