import { expect, onTestFinished, test } from 'vitest'
import { realClock, steadyClock } from './clock.ts'
import { enterWorld, nodeWorld, type World } from './world.ts'

test('the library takes its time from the world it has entered, and from Node again afterwards', () => {
  onTestFinished(() => enterWorld(nodeWorld))
  const set: number[] = []
  const setTimeout = ((_: () => void, ms: number) => {
    set.push(ms)
    return { unref: () => undefined }
  }) as unknown as World['setTimeout']

  enterWorld({
    ...nodeWorld,
    setTimeout,
    dateNow: () => 42,
    performance: { timeOrigin: 1000, now: () => 7 },
  })
  realClock.schedule(250, () => undefined)

  expect([realClock.now(), steadyClock.now(), set]).toEqual([42, 1007, [250]])
  enterWorld(nodeWorld)
  expect(realClock.now()).toBeGreaterThan(1007)
})
