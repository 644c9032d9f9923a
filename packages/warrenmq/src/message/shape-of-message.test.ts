import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normaliseMessage } from './normalise-message.ts'
import { shapeOfMessage } from './shape-of-message.ts'

const piece = fc.oneof(
  fc.constantFrom(
    ...[
      'Order',
      ' not found on ',
      'status',
      'HTTP/1.1 ',
      'status code: ',
      ' 404',
      '503',
      '0x1f',
      '1x1f',
      'x',
    ],
    ...[
      '::1',
      '::',
      ':',
      '.',
      ',',
      '-',
      '/',
      '@',
      ' ',
      '\n',
      'db-1.internal',
      '.com',
      'orders.ts:120',
      'ENOTFOUND ',
    ],
    ...[
      '10.0.3.7:5432',
      '2026-01-31T12:00:59.123Z',
      '12:30:59',
      'deadbeef01',
      'fe80:1:2:3',
      'amqp://a1/b2',
      '\ue003',
    ],
  ),
  fc.nat().map(String),
  fc.uuid(),
  fc.stringMatching(/^[0-9a-fx.:]{1,9}$/),
)

describe('the shape of an error', () => {
  it('is normalised to the same text as the error', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const message = pieces.join('')
        expect(normaliseMessage(shapeOfMessage(message))).toBe(normaliseMessage(message))
      }),
      { numRuns: 3_000 },
    )
  })

  it('is one for errors that differ in their numbers', () => {
    const [one, other] = ['no answer from 10.0.1.7 after 300 ms', 'no answer from 10.0.2.7 after 415 ms']

    expect(shapeOfMessage(one)).toBe(shapeOfMessage(other))
    expect(shapeOfMessage('status 404')).not.toBe(shapeOfMessage('status 503'))
  })
})
