import { describe, expect, it, vi } from 'vitest'
import { longestTimerMs, realClock, steadyClock } from './clock.ts'

describe('the real clock', () => {
  it('tells the time of the machine', () => {
    const before = Date.now()
    const now = realClock.now()

    expect(now).toBeGreaterThanOrEqual(before)
    expect(now).toBeLessThanOrEqual(Date.now())
  })

  it('runs a task once, and in the order of the delays', async () => {
    const done: string[] = []

    await new Promise<void>((resolve) => {
      realClock.schedule(30, () => {
        done.push('later')
        resolve()
      })
      realClock.schedule(1, () => done.push('sooner'))
    })

    expect(done).toEqual(['sooner', 'later'])
  })

  it('does not run a task that was called off', async () => {
    const done: string[] = []

    const callOff = realClock.schedule(1, () => done.push('called off'))
    callOff()
    await new Promise<void>((resolve) => realClock.schedule(20, resolve))

    expect(done).toEqual([])
    expect(callOff).not.toThrow()
  })

  it('lets a task wait that is due later than a timer can be set for', async () => {
    const done: string[] = []

    // Node has such a timer ring after one millisecond, so before the other.
    const callOff = realClock.schedule(longestTimerMs + 1, () => done.push('in a month'))
    await new Promise<void>((resolve) => realClock.schedule(20, resolve))
    callOff()

    expect(done).toEqual([])
  })

  it('keeps no process alive with a task that waits', () => {
    const waiting = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
    const before = waiting()

    const callOff = realClock.schedule(60_000, () => {})

    expect(waiting()).toBe(before)
    callOff()
  })
})

it('the steady clock goes on whatever the clock on the wall is set to', () => {
  const before = steadyClock.now()
  const wall = vi.spyOn(Date, 'now').mockReturnValue(0)

  const now = steadyClock.now()
  wall.mockRestore()

  expect(now).toBeGreaterThanOrEqual(before)
})
