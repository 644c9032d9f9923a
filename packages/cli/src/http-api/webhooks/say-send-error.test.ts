import { expect, it } from 'vitest'
import { saySendError } from './say-send-error.ts'

const failed = (code?: string) =>
  new TypeError('fetch failed', { cause: code === undefined ? undefined : { code } })

it.each([
  [failed('ECONNREFUSED'), 'it refuses connections (ECONNREFUSED)'],
  [failed('CERT_HAS_EXPIRED'), 'its certificate is refused (CERT_HAS_EXPIRED)'],
  [failed('ESOMETHING'), 'it cannot be asked (ESOMETHING)'],
  [failed(), 'it cannot be asked'],
  [new DOMException('too late', 'TimeoutError'), 'it did not answer in time (TimeoutError)'],
])('%s: %s', (error, said) => {
  expect(saySendError(error)).toBe(said)
})
