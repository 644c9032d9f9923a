import { describe, expect, it } from 'vitest'
import { type PlainTable, toFieldTable } from '../wire/plain-fields.ts'
import { encodeProperties } from '../wire/properties.ts'
import { createMoveRing, type MovedMessage } from './recent-moves.ts'

const to = { exchange: '', key: 'work' }
const message = (id: string, headers?: PlainTable, digest = 'd'): MovedMessage => ({
  ...{ id, digest },
  properties: encodeProperties({ messageId: id, ...(headers && { headers: toFieldTable(headers) }) }),
})

describe('the moves that a re-drive remembers', () => {
  it('are found once, whatever the queue counted into the message since', () => {
    const recent = createMoveRing(4)
    recent.add({ ...message('a'), isCounted: true, to })

    const again = message('a', { 'x-delivery-count': 2, 'x-acquired-count': 3 })

    expect(recent.take(again)).toMatchObject({ id: 'a', isCounted: true, to })
    expect(recent.take(again)).toBeUndefined()
    expect(recent.size).toBe(0)
  })

  it('are found in whatever order the queue has put the headers since', () => {
    const recent = createMoveRing(4)
    recent.add({ ...message('a', { tenant: 'blue', region: 'north' }), isCounted: true, to })

    expect(recent.take(message('a', { region: 'blue', tenant: 'north' }))).toBeUndefined()
    const again = message('a', { region: 'north', tenant: 'blue', 'x-delivery-count': 1 })
    expect(recent.take(again)).toMatchObject({ id: 'a' })
  })

  it('that were not counted are handed out once, and the others stay', () => {
    const recent = createMoveRing(4)
    const cause = { id: 'c', label: 'Timeout' }
    recent.add({ ...message('a'), isCounted: true, to })
    recent.add({ ...message('b'), isCounted: false, to, cause })

    expect(recent.takeUncounted()).toMatchObject([{ id: 'b', to, cause }])
    expect(recent.takeUncounted()).toEqual([])
    expect(recent.take(message('a'))).toMatchObject({ id: 'a' })
    expect(recent.size).toBe(0)
  })

  it('are not taken for the same message that was moved and is dead again', () => {
    const recent = createMoveRing(4)
    recent.add({ ...message('a', { tenant: 'blue' }), isCounted: true, to })

    expect(recent.take(message('a', { tenant: 'blue', 'x-redriven-count': 1 }))).toBeUndefined()
    expect(recent.size).toBe(1)
  })

  it('are not taken for another message that has the same id', () => {
    const recent = createMoveRing(4)
    recent.add({ ...message('a', undefined, 'one body'), isCounted: true, to })

    expect(recent.take(message('a', undefined, 'another body'))).toBeUndefined()
  })

  it('are found only where they may be the one that is asked for', () => {
    const ring = createMoveRing(4)
    ring.add({ ...message('a'), isCounted: true, to })
    ring.add({ ...message('a'), isCounted: false, to })

    expect(ring.uncountedCount).toBe(1)
    expect(ring.take(message('a'), (move) => !move.isCounted)).toMatchObject({ isCounted: false })
    expect(ring.take(message('a'), (move) => !move.isCounted)).toBeUndefined()
    expect([ring.uncountedCount, ring.size]).toEqual([0, 1])
  })

  it('are forgotten in the order in which they were made', () => {
    const recent = createMoveRing(2)
    for (const id of ['a', 'b', 'c']) recent.add({ ...message(id), isCounted: true, to })

    expect(recent.size).toBe(2)
    expect(recent.take(message('a'))).toBeUndefined()
    expect(recent.take(message('c'))).toBeDefined()
  })
})
