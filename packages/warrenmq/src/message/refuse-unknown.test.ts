import { describe, expect, it } from 'vitest'
import { refuseUnknown } from './refuse-unknown.ts'

const known = { key: true, body: true, expirationMs: true, persistent: true }

describe('options that nobody reads', () => {
  it.each([
    [{ kye: 'a' }, 'publish() has no option "kye"; did you mean "key"?'],
    [{ routingKey: 'a' }, 'publish() has no option "routingKey"; did you mean "key"?'],
    [{ sistent: 1 }, 'publish() has no option "sistent"; it has key, body, expirationMs, persistent.'],
    [{ expiration: 5 }, 'publish() has no option "expiration"; did you mean "expirationMs"?'],
    [
      { deliveryMode: 2 },
      'publish() has no option "deliveryMode"; it has key, body, expirationMs, persistent.',
    ],
    [
      { kye: 'a', bdoy: 1 },
      'publish() has no option "kye"; did you mean "key"? publish() has no option "bdoy"; did you mean "body"?',
    ],
    [{ toString: 1 }, 'publish() has no option "toString"; it has key, body, expirationMs, persistent.'],
    [null, 'publish() takes an object with key, body, expirationMs, persistent; it got null.'],
    [undefined, 'publish() takes an object with key, body, expirationMs, persistent; it got undefined.'],
    ['2s', 'publish() takes an object with key, body, expirationMs, persistent; it got a string.'],
    [[], 'publish() takes an object with key, body, expirationMs, persistent; it got a list.'],
  ])('are refused with the way out: %o', (options, sentence) => {
    expect(() => refuseUnknown('publish()', options, known)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: sentence }),
    )
  })

  it.each([[{}], [{ key: 'a', body: 1 }], [{ kye: undefined }], [Object.create({ key: 'inherited' })]])(
    'are none here: %o',
    (options) => {
      expect(() => refuseUnknown('publish()', options, known)).not.toThrow()
    },
  )
})
