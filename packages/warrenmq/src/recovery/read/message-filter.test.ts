import { describe, expect, test } from 'vitest'
import { toFieldTable } from '../../wire/plain-fields.ts'
import { encodeProperties } from '../../wire/properties.ts'
import { messageFilter } from './message-filter.ts'
import { parseFilter } from './parse-filter.ts'

const nowMs = Date.UTC(2026, 0, 1, 12)
const secondsAgo = (seconds: number) => BigInt(nowMs / 1000 - seconds)

/** A dead letter as RabbitMQ hands it over: rejected three times, an hour ago. */
const rejected = message({
  properties: { messageId: 'm-1', type: 'OrderPlaced' },
  headers: {
    tenant: 'acme',
    retries: 7,
    MessageType: 'Shop.OrderPlaced',
    bytes: Buffer.from('grün'),
    binary: Buffer.from([0xff, 0]),
    at: new Date(nowMs),
    size: Buffer.from('12'),
    'x-death': [{ queue: 'billing.orders', reason: 'rejected', count: 3, time: 0 }],
  },
  body: '{"customer":{"id":42,"name":"Ada"},"lines":[{"sku":"x"}]}',
})
/** One that Warren has parked, with its failure written down. */
const parked = message({
  properties: {},
  headers: {
    MessageType: 'MailSent',
    'x-original-queue': 'mails',
    'warren-attempts': 5,
    'warren-error-type': 'TimeoutError',
    'x-final-error': 'no answer from 10.0.0.1',
    'warren-last-failed-at': new Date(nowMs - 3 * 3_600_000).toISOString(),
  },
  body: 'not JSON at all',
})

function message(fields: {
  properties: Parameters<typeof encodeProperties>[0]
  headers: Parameters<typeof toFieldTable>[0]
  body: string
}) {
  const headers = toFieldTable(fields.headers).map((entry) => withTime(entry))
  const body = Buffer.from(fields.body)
  const properties = encodeProperties({ ...fields.properties, headers })
  return { exchange: '', routingKey: 'dlq', properties, body, bodyBytes: body.length }
}

/** The broker writes the time of a death with a type of its own. */
function withTime(entry: ReturnType<typeof toFieldTable>[number]): typeof entry {
  if (entry.name !== 'x-death' || entry.value.type !== 'A') return entry
  const value = entry.value.value.map((death) =>
    death.type === 'F'
      ? {
          ...death,
          value: death.value.map((field) =>
            field.name === 'time'
              ? { name: 'time', value: { type: 'T' as const, value: secondsAgo(3_600) } }
              : field,
          ),
        }
      : death,
  )
  return { name: entry.name, value: { type: 'A', value } }
}

describe('a filter finds in a message', () => {
  test.each([
    ['type:OrderPlaced', true, false],
    ['type:MailSent', false, true],
    ['type:Shop.*', true, false],
    ['type!=OrderPlaced', false, true],
    ['header.bytes:grün', true, false],
    ['header.bytes:gr*', true, false],
    ['header.binary:/wA=', true, false],
    ['header.size>=12', true, false],
    ['header.at:2026-01-01T12:00:00.000Z', true, false],
    ['id:m-1', true, false],
    ['queue:billing.orders', true, false],
    ['queue:mails', false, true],
    ['cause:TimeoutError', false, true],
    ['cause:rejected', true, false],
    ['header.tenant:acme', true, false],
    ['header.retries>=7', true, false],
    ['header.x-original-queue:mails', false, true],
    ['body.customer.id:42', true, false],
    ['body.customer.name:A*', true, false],
    ['header.tenant:*', true, false],
    ['header.tenant:a*m*e', true, false],
    ['header.tenant:ac*cme', false, false],
    ['header.tenant:*c*c*', false, false],
    ['header.tenant:*m*c*', false, false],
    ['header.tenant:a.me', false, false],
    ['body.lines.0.sku:x', true, false],
    ['died<2h', true, false],
    ['died>2h', false, true],
    ['attempts>=3', true, true],
    ['attempts>3', false, true],
    ['"no answer"', false, true],
    ['acme', true, false],
    ['"JSON at all"', false, true],
    ['not body.customer.id:42', false, true],
    ['type:OrderPlaced or cause:timeout', true, true],
    ['header.tenant:acme and attempts<3', false, false],
  ])('%s: %s and %s', (source, first, second) => {
    const matches = messageFilter(parseFilter(source), nowMs)

    expect([matches(rejected), matches(parked)]).toEqual([first, second])
  })
})
