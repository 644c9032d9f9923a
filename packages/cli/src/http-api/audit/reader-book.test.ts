import { expect, test } from 'vitest'
import { createReaderBook, readersKnownMs } from './reader-book.ts'

const ann = { by: 'ann', wayIn: 'session', from: '10.0.0.1' } as const

test('a reader is known for ten minutes, by one way in and from one address', () => {
  let now = 0
  const book = createReaderBook({ now: () => now })

  const before = book.isKnown(ann)
  book.add(ann)
  const others = [
    { ...ann, by: 'bob' },
    { ...ann, wayIn: 'api-token' as const },
    { ...ann, from: '10.0.0.2' },
  ]

  expect([before, book.isKnown(ann)]).toEqual([false, true])
  expect(others.map((other) => book.isKnown(other))).toEqual([false, false, false])
  now = readersKnownMs - 1
  expect(book.isKnown(ann)).toBe(true)
  now = readersKnownMs
  expect(book.isKnown(ann)).toBe(false)
})

test('more readers than fit are written down again, and take no more memory', () => {
  const book = createReaderBook({ now: () => 0 })
  book.add(ann)

  for (let at = 0; at < 1_000; at += 1) book.add({ ...ann, by: `reader-${at}` })

  expect([book.isKnown(ann), book.isKnown({ ...ann, by: 'reader-999' })]).toEqual([false, true])
})
