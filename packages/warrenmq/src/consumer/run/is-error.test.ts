import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { failedBy } from './handler-result.ts'
import { isError } from './is-error.ts'

it.each([
  ['an error', new TypeError('no')],
  ['an error of another realm', runInNewContext("new TypeError('no')")],
  ['an abort', new DOMException('no', 'AbortError')],
])('%s is one', (_, value) => {
  expect(isError(value)).toBe(true)
})

it.each([
  ['nothing', undefined],
  ['a text', 'Error: no'],
  ['an object with a message', { name: 'Error', message: 'no' }],
  [
    'what cannot be looked at',
    {
      get [Symbol.toStringTag](): string {
        throw new Error('do not touch')
      },
    },
  ],
])('%s is none', (_, value) => {
  expect(isError(value)).toBe(false)
})

it('a failure is told by its own name and text, whatever realm its error is of', () => {
  expect(
    failedBy(runInNewContext("Object.assign(new RangeError('too far'), { code: 'FAR' })")),
  ).toMatchObject({
    failure: { errorType: 'RangeError', errorCode: 'FAR', errorMessage: 'too far' },
  })
})
