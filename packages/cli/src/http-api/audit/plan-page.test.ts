import { describe, expect, it } from 'vitest'
import { planNextPage, planPage } from './plan-page.ts'

describe('a page of the audit log', () => {
  it.each([
    [{ limit: 10 }, 99, { from: 90, to: 99 }],
    [{ limit: 10, before: 90 }, 99, { from: 80, to: 89 }],
    [{ limit: 10, before: 4 }, 99, { from: 0, to: 3 }],
    [{ limit: 10 }, 3, { from: 0, to: 3 }],
    [{ limit: 10, before: 1e18 }, 99, { from: 90, to: 99 }],
  ])('of %j where the newest stands at %i is %j', (place, end, range) => {
    expect(planPage(place, end)).toEqual(range)
  })

  it('before the first record is empty', () => {
    const { from, to } = planPage({ limit: 10, before: 0 }, 99)

    expect(to).toBeLessThan(from)
  })

  it('is followed by one that ends where it begins, unless nothing is older or it is cut off', () => {
    expect(planNextPage({ from: 90, oldest: 0 })).toBe(90)
    expect(planNextPage({ from: 90, oldest: 89 })).toBe(90)
    expect(planNextPage({ from: 0, oldest: 0 })).toBeNull()
    expect(planNextPage({ from: 90, oldest: 90 })).toBeNull()
    expect(planNextPage({ from: 90, oldest: 95 })).toBeNull()
  })
})
