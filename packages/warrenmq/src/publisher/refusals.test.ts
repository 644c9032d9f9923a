import { describe, expect, it } from 'vitest'
import { createRefusals } from './refusals.ts'

describe('refusals of a publisher', () => {
  it('ask for another channel a second after the first of them', () => {
    const refusals = createRefusals()

    refusals.refused('work', 5_000)
    refusals.refused('work', 5_900)

    expect(refusals.renewAtMs()).toBe(6_000)
  })

  it('are forgotten when the address takes a message, and those of others stay', () => {
    const refusals = createRefusals()
    refusals.refused('work', 0)
    refusals.refused('full', 500)

    refusals.accepted('work')

    expect(refusals.renewAtMs()).toBe(1_500)
    refusals.accepted('full')
    expect(refusals.isEmpty()).toBe(true)
    expect(refusals.renewAtMs()).toBeUndefined()
  })

  it('ask ever more seldom, and never less than once a minute', () => {
    const refusals = createRefusals()
    const pauses: number[] = []

    for (let now = 0; pauses.length < 9; ) {
      refusals.refused('full', now)
      const due = refusals.renewAtMs()!
      pauses.push(due - now)
      refusals.renewed(due)
      now = due
    }

    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
  })

  it('ask for nothing after a new channel was opened, until one more comes', () => {
    const refusals = createRefusals()
    refusals.refused('work', 0)

    refusals.renewed(1_000)

    expect(refusals.renewAtMs()).toBeUndefined()
    refusals.refused('work', 5_000)
    expect(refusals.renewAtMs()).toBe(7_000)
  })

  it('of a new address do not wait as long as those of an old one', () => {
    const refusals = createRefusals()
    refusals.refused('full', 0)
    refusals.renewed(1_000)
    refusals.refused('full', 1_000)

    refusals.refused('work', 1_000)

    expect(refusals.renewAtMs()).toBe(2_000)
  })

  it('are kept for a bounded number of addresses', () => {
    const refusals = createRefusals()
    for (let index = 0; index < 1_000; index += 1) refusals.refused(`key-${index}`, index)

    expect(refusals.renewAtMs()).toBe(1_000 - 64 + 1_000)
  })
})
