import { describe, expect, it } from 'vitest'
import { createSolitude } from './solitude.ts'

/** Two consumers of one process, and how often each was woken. */
function setup() {
  const solitude = createSolitude()
  const woken = { one: 0, other: 0 }
  const one = solitude.join(() => {
    woken.one += 1
  })
  const other = solitude.join(() => {
    woken.other += 1
  })
  return { one, other, woken }
}

describe('a run that is to be alone in its process', () => {
  it('waits for what runs in other consumers, and lets nothing start there until it is done', () => {
    const { one, other, woken } = setup()
    other.began()

    one.claim()
    expect([one.isFree(), other.isFree(), one.isQuiet()]).toEqual([true, false, false])
    other.ended()
    expect([woken.one, one.isQuiet()]).toEqual([1, true])

    one.release()
    expect([woken.other, other.isFree()]).toEqual([1, true])
  })

  it('comes after one that asked before', () => {
    const { one, other, woken } = setup()
    one.claim()
    other.claim()
    expect([one.isFree(), other.isFree()]).toEqual([true, false])
    other.release()
    expect(one.isFree()).toBe(true)

    one.release()
    other.claim()
    expect([woken.other, one.isFree(), other.isFree()]).toEqual([1, false, true])
  })

  it('does not wait for handlers of a consumer that closed without them', () => {
    const { one, other, woken } = setup()
    other.began()
    one.claim()
    other.leave()
    expect([woken.one, one.isQuiet()]).toEqual([1, true])

    other.ended()
    one.began()
    expect(one.isQuiet()).toBe(false)
  })
})
