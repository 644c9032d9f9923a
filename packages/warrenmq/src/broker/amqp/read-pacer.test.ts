import { describe, expect, it } from 'vitest'
import { createReadPacer } from './read-pacer.ts'

const kib = 1024

/** Reads on, with what a broker of this kind has ready without and with a wait; tells how often was waited. */
function countWaits(reads: number, ready: { atOnce: number; afterWait: number }): number {
  const pacer = createReadPacer()
  let waits = 0
  let waited = false
  for (let index = 0; index < reads; index += 1) {
    waited = pacer.shouldWait(waited ? ready.afterWait : ready.atOnce, () => true)
    if (waited) waits += 1
  }
  return waits
}

describe('the pace of reading', () => {
  it('waits while a broker that has much to send fills the connection meanwhile', () => {
    expect(countWaits(1000, { atOnce: 8 * kib, afterWait: 30 * kib })).toBeGreaterThan(980)
  })

  it('looks now and then what comes without a wait, and stops when that is enough', () => {
    const pacer = createReadPacer()
    pacer.shouldWait(5 * kib, () => true)
    const answers = Array.from({ length: 1000 }, () => pacer.shouldWait(20 * kib, () => true))

    expect(answers.indexOf(false)).toBe(254)
    expect(answers.slice(254).filter((isWaiting) => isWaiting).length).toBeLessThan(20)
  })

  it('does not wait when the broker cannot send more', () => {
    expect(createReadPacer().shouldWait(8 * kib, () => false)).toBe(false)
  })

  it('hardly waits for a broker that sends no more before its messages are acked', () => {
    expect(countWaits(10_000, { atOnce: 8 * kib, afterWait: 8 * kib })).toBeLessThan(12)
  })

  it.each([
    ['never waits with confirms and answers', 21, 4000],
    ['never waits when a read is large already', 40 * kib, 60 * kib],
  ])('%s', (_, atOnce, afterWait) => {
    expect(countWaits(1000, { atOnce, afterWait })).toBe(0)
  })
})
