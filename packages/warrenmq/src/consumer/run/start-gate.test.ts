import { describe, expect, it } from 'vitest'
import { createVirtualClock } from '../../embedded/model/virtual-clock.ts'
import { encodeTable } from '../../wire/encode-table.ts'
import { toFieldTable } from '../../wire/plain-fields.ts'
import type { Run } from './run.ts'
import { createStartGate } from './start-gate.ts'

/** A gate for three handlers at a time, before a socket that takes everything until `fill`. */
function setup() {
  const clock = createVirtualClock(0)
  const told = { sends: 0, reopenings: 0 }
  let isFull = false
  let drained = (): void => {}
  const gate = createStartGate({
    clock,
    concurrency: 3,
    output: () => ({
      sendAll: () => {
        told.sends += 1
        return !isFull
      },
      whenSent: (callback) => {
        drained = callback
      },
    }),
    reopened: () => {
      told.reopenings += 1
    },
  })
  const fill = () => {
    isFull = true
  }
  const drain = () => {
    isFull = false
    drained()
  }
  return { gate, told, clock, fill, drain }
}

type Judged = Parameters<ReturnType<typeof createStartGate>['isOpenFor']>[0]

const fresh = { delivery: { isRedelivered: false }, headers: undefined } as Partial<Run> as Judged
const redelivered = { delivery: { isRedelivered: true }, headers: undefined } as Partial<Run> as Judged
const copy: Judged = { ...fresh, headers: encodeTable(toFieldTable({ 'warren-recounts': 1 })) }

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('before a handler starts, what was settled before it is sent', () => {
  it('once for those that start together, no more than run at a time', async () => {
    const { gate, told } = setup()

    for (let start = 0; start < 3; start += 1) gate.isOpenFor(fresh)
    expect(told.sends).toBe(1)
    gate.isOpenFor(fresh)
    expect(told.sends).toBe(2)

    await nextTurn()
    gate.isOpenFor(fresh)
    expect(told.sends).toBe(3)
  })

  it.each([
    ['that was delivered before', redelivered],
    ['that is a copy', copy],
  ])('for each message %s', (_, suspicious) => {
    const { gate, told } = setup()
    gate.isOpenFor(fresh)
    gate.isOpenFor(suspicious)
    gate.isOpenFor(suspicious)
    expect(told.sends).toBe(3)
  })

  it('at once after a message was moved on', () => {
    const { gate, told } = setup()
    gate.isOpenFor(fresh)
    gate.moving(false)
    gate.moved(false)
    gate.isOpenFor(fresh)
    gate.isOpenFor(fresh)
    expect(told.sends).toBe(2)
  })

  it('and the handler waits while the kernel takes no more', () => {
    const { gate, told, fill, drain } = setup()
    fill()
    expect([gate.isOpenFor(fresh), gate.isOpenFor(fresh)]).toEqual([false, false])
    drain()
    expect(told.reopenings).toBe(1)
    expect(gate.isOpenFor(fresh)).toBe(true)
  })
})

describe('while a copy is under way to its own queue', () => {
  it('no handler starts, until its original is acknowledged', async () => {
    const { gate, told } = setup()
    gate.moving(true)
    gate.moving(true)
    expect(gate.isOpenFor(fresh)).toBe(false)
    gate.moved(true)
    expect(gate.isOpenFor(fresh)).toBe(false)
    gate.moved(true)
    await nextTurn()
    expect(told.reopenings).toBe(1)
    expect(gate.isOpenFor(fresh)).toBe(true)
  })

  it('handlers start again after five seconds, because a broker with an alarm confirms nothing', () => {
    const { gate, told, clock } = setup()
    gate.moving(true)
    expect(gate.isOpenFor(fresh)).toBe(false)
    while (clock.step(5_000));
    expect(told.reopenings).toBe(1)
    expect(gate.isOpenFor(fresh)).toBe(true)
  })
})
