import { expect, test } from 'vitest'
import { formatCounted } from './format-counted.ts'

test.each([
  [0, 'message', undefined, '0 messages'],
  [1, 'message', undefined, '1 message'],
  [2, 'message', undefined, '2 messages'],
  [1, 'extra copy', 'extra copies', '1 extra copy'],
  [3, 'extra copy', 'extra copies', '3 extra copies'],
])('%s of "%s" is counted in the right number', (count, noun, plural, said) => {
  expect(formatCounted(count, noun, plural)).toBe(said)
})
