import { describe, expect, it } from 'vitest'
import { parseRequest } from './parse-request.ts'
import { redriveRequestSchema } from './request-schemas.ts'

const parse = (value: unknown): unknown => parseRequest('redrive()', value, redriveRequestSchema)

describe('a request', () => {
  it.each([
    [{}],
    [{ to: 'origin' }],
    [{ to: 'billing.orders' }],
    [{ to: { queue: 'retry' } }],
    [{ hold: '1h30m', wait: 0 }],
    [{ stopWhenDead: 20 }],
    [{ stopWhenDead: '0.5%' }],
    [{ canary: { messages: 5, wait: '10s' }, window: { bytes: 1 } }],
    [{ edit: { body: { encoding: 'base64', text: '' }, headers: { a: null, b: [1, { c: 'd' }] } } }],
  ])('is taken as it is: %j', (fields) => {
    const request = { queue: 'a.dlq', ...fields }

    expect(parse({ ...request, where: undefined })).toStrictEqual(request)
  })

  it.each([
    [null, 'redrive() is null; it must be an object with queue, where,'],
    [{}, 'redrive() needs "queue": the queue, by its name on the broker.'],
    [{ queue: '' }, "queue of redrive() is ''; it must not be empty."],
    [{ queue: 'q', lmit: 1 }, 'redrive() has no "lmit"; did you mean "limit"?'],
    [{ queue: 'q', waitMs: 1 }, 'redrive() has no "waitMs"; did you mean "wait"?'],
    [{ queue: 'q', toString: 1 }, 'redrive() has no "toString"; it has queue, where,'],
    [{ queue: 'q', limit: '5' }, "limit of redrive() is '5'; it must be a whole number from 1 up."],
    [{ queue: 'q', limit: 0 }, 'limit of redrive() is 0; it must be a whole number from 1 up.'],
    [{ queue: 'q', limit: NaN }, 'limit of redrive() is NaN; it must be a whole number from 1 up.'],
    [{ queue: 'q', attempts: 'rest' }, `it must be 'reset' or 'continue'; did you mean "reset"?`],
    [{ queue: 'q', trustHeaders: 'yes' }, "trustHeaders of redrive() is 'yes'; it must be true or false."],
    [
      { queue: 'q', hold: '5' },
      "hold of redrive() is '5'; it must be a time such as '30s', '5m' or '1h30m'.",
    ],
    [{ queue: 'q', hold: -1 }, 'hold of redrive() is -1; it must be a whole number from 0 up.'],
    [{ queue: 'q', hold: true }, "it must be a whole number from 0 up, or a time such as '30s'"],
    [{ queue: 'q', stopWhenDead: '0%' }, "stopWhenDead of redrive() is '0%'; it must be a share such as 5%."],
    [{ queue: 'q', to: ['a'] }, 'to of redrive() is a list; it must be text, or an object with queue.'],
    [{ queue: 'q', to: { name: 'a' } }, 'to of redrive() has no "name"; it has queue.'],
    [
      { queue: 'q', canary: { wait: 1 } },
      'canary of redrive() needs "messages": send this many messages first.',
    ],
    [{ queue: 'q', canary: { messages: 0 } }, 'canary.messages of redrive() is 0;'],
    [{ queue: 'q', window: { messages: 70_000 } }, 'it must be a whole number from 1 to 65535.'],
    [{ queue: 'q', reason: 'x'.repeat(1025) }, 'it must have at most 1024 characters.'],
    [
      { queue: 'q', edit: { headers: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [i, i])) } },
      'edit.headers of redrive() is an object; it must have at most 100 names.',
    ],
  ])('that is none is refused with the way out: %j', (value, sentence) => {
    expect(() => parse(value)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(sentence) }),
    )
  })
})
