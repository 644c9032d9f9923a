import { expect, it } from 'vitest'
import { createOrderBook } from './order-book.ts'

const patienceMs = 1_000

it('an order is counted once, where it was last', () => {
  const book = createOrderBook()

  book.move('a')
  book.wait('a', 5_000)
  book.move('a')
  book.move('b')
  book.park('b')
  book.deliver('a')

  expect(book.counts).toEqual({ moving: 0, waiting: 0, delivered: 1, parked: 1 })
  expect(book.duplicates).toBe(0)
})

it('an order that is delivered again is a duplicate', () => {
  const book = createOrderBook()

  book.deliver('a')
  book.deliver('a')

  expect(book.counts.delivered).toBe(1)
  expect(book.duplicates).toBe(1)
})

it('the earliest due time is that of an order that still waits', () => {
  const book = createOrderBook()

  book.wait('a', 5_000)
  book.wait('b', 9_000)
  expect(book.earliestDueMs()).toBe(5_000)
  book.deliver('a')
  expect(book.earliestDueMs()).toBe(9_000)
  book.park('b')
  expect(book.earliestDueMs()).toBeUndefined()
})

it('it is at rest when every order is delivered or parked', async () => {
  const book = createOrderBook()
  book.move('a')
  book.wait('b', 5_000)
  const rest = book.whenAtRest({ patienceMs })

  book.park('b')
  book.deliver('a')

  expect(await rest).toBe(true)
})

it('a parked order that was released is not at rest until a service has ended it', async () => {
  const book = createOrderBook()
  book.park('a')
  book.release('a')
  const rest = book.whenAtRest({ patienceMs })

  book.move('a')
  book.deliver('a')

  expect(await rest).toBe(true)
  expect(book.counts).toEqual({ moving: 0, waiting: 0, delivered: 1, parked: 0 })
})

it('an order that never ends is given up', async () => {
  const book = createOrderBook()
  book.move('lost')

  expect(await book.whenAtRest({ patienceMs: 1 })).toBe(false)
})
