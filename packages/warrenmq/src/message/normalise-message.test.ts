import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normaliseMessage } from './normalise-message.ts'

describe('normaliseMessage', () => {
  it.each([
    ['Order 42 not found', 'Order <n> not found'],
    ['Order ORD-2024-00042 not found', 'Order ORD-<n>-<n> not found'],
    ['user 550e8400-e29b-41d4-a716-446655440000 is gone', 'user <uuid> is gone'],
    ['document 507f1f77bcf86cd799439011 missing', 'document <hex> missing'],
    ['at 0x7ffe5367e044', 'at <hex>'],
    ['the facade was defaced', 'the facade was defaced'],
    ['connect ECONNREFUSED 10.0.3.17:5432', 'connect ECONNREFUSED <host>'],
    ['connect ECONNREFUSED ::1:5432', 'connect ECONNREFUSED <host>'],
    ['getaddrinfo ENOTFOUND billing-db', 'getaddrinfo ENOTFOUND <host>'],
    ['no answer from db-1.eu-west.internal', 'no answer from <host>'],
    ['no answer from db-1.eu-west.internal:5432', 'no answer from <host>'],
    ['no answer from fe80:0:0:0:1ff:fe23:4567:890a', 'no answer from <host>'],
    ['GET https://api.example.com/orders/42?x=1 failed', 'GET <url> failed'],
    ['amqp://user:secret@rabbit:5672/vhost refused', '<url> refused'],
    ['mail to jane.doe@example.com bounced', 'mail to <email> bounced'],
    ['expired at 2026-08-22T10:11:12.345Z', 'expired at <time>'],
    ['expired on 2026-08-22 10:11:12', 'expired on <time>'],
    ['took 1,234.56 ms', 'took <n> ms'],
    ['Request failed with status code 503', 'Request failed with status code 503'],
    ['Request failed with status code 404 for order 42', 'Request failed with status code 404 for order <n>'],
    ['HTTP/1.1 500 from upstream 7', 'HTTP 500 from upstream <n>'],
    ['orders.ts:120 threw', 'orders.ts:<n> threw'],
    ['java.lang.NullPointerException in Order', 'java.lang.NullPointerException in Order'],
    ['  two\t words  ', 'two words'],
    ['\n\nfirst line\n  at second (line.js:3)', 'first line'],
    ['status \uE005\uE000', 'status'],
    ['', ''],
  ])('%j gives %j', (message, expected) => {
    expect(normaliseMessage(message)).toBe(expected)
  })

  it('is the same for messages that differ in ids, hosts, numbers and times only', () => {
    const values = fc.record({
      uuid: fc.uuid(),
      number: fc.nat(),
      host: fc.ipV4(),
      port: fc.integer({ min: 1, max: 65535 }),
      date: fc.date({ min: new Date(0), max: new Date('2099-01-01'), noInvalidDate: true }),
    })
    const render = ({
      uuid,
      number,
      host,
      port,
      date,
    }: {
      uuid: string
      number: number
      host: string
      port: number
      date: Date
    }) => `Order ${uuid} of customer ${number} failed on ${host}:${port} at ${date.toISOString()}`

    fc.assert(
      fc.property(values, values, (one, other) => {
        expect(normaliseMessage(render(one))).toBe(normaliseMessage(render(other)))
      }),
    )
  })

  it('changes nothing when done again', () => {
    const word = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom(
        '42',
        'status 503',
        'a.b.com',
        'x:80',
        'f.ts:3',
        '10.0.0.1',
        '0xff',
        'deadbeef1',
        'http://h/',
        '12:30:00',
      ),
    )

    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        const once = normaliseMessage(words.join(' '))
        expect(normaliseMessage(once)).toBe(once)
      }),
      { numRuns: 1_000 },
    )
  })

  it('stays short, whatever a header holds', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 5_000 }),
        fc.constantFrom('a.', '1:', 'f', '.', '@', '0x'),
        (text, filler) => {
          expect(normaliseMessage(text + filler.repeat(20_000)).length).toBeLessThanOrEqual(240)
        },
      ),
      { numRuns: 20 },
    )
  })
})
