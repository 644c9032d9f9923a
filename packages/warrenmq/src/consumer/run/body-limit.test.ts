import { expect, it } from 'vitest'
import { createBodyLimit } from './body-limit.ts'

it('a body is refused once the broker has said that it takes none of its size, until that is forgotten', () => {
  const limit = createBodyLimit()
  expect(limit.refuse(101)).toBeUndefined()

  limit.learn(100)

  expect(limit.refuse(100)).toBeUndefined()
  expect(limit.refuse(101)).toMatchObject({
    code: 'MESSAGE_TOO_LARGE',
    message: expect.stringContaining('The body has 101 bytes, and the broker accepts 100 at most'),
  })
  limit.forget()
  expect(limit.refuse(101)).toBeUndefined()
})
