import { expect, test } from 'vitest'
import { createIdSet } from './id-set.ts'

test('a set of ids knows every one that was put in it', () => {
  const ids = createIdSet()

  for (let index = 0; index < 10_000; index += 1) ids.add(`order-${index}`)

  for (let index = 0; index < 10_000; index += 1) expect(ids.has(`order-${index}`)).toBe(true)
})

test('of ids that count up few are taken for one another', () => {
  const ids = createIdSet()
  let mistaken = 0

  for (let index = 0; index < 100_000; index += 1) {
    if (ids.has(`m-${index}`)) mistaken += 1
    ids.add(`m-${index}`)
  }

  expect(mistaken).toBeLessThan(1_000)
})

test('a set of ids that is cleared knows none', () => {
  const ids = createIdSet()
  expect(ids.has('a')).toBe(false)
  ids.add('a')

  ids.clear()

  expect(ids.has('a')).toBe(false)
})
