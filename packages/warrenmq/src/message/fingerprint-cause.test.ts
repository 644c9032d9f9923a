import { describe, expect, it } from 'vitest'
import { encodeTable } from '../wire/encode-table.ts'
import { type PlainTable, toFieldTable } from '../wire/plain-fields.ts'
import { causeOf, fingerprintCause, unknownCause } from './fingerprint-cause.ts'

const causeIn = (headers: PlainTable) => causeOf(encodeTable(toFieldTable(headers)))

const timeout = {
  errorType: 'TimeoutError',
  errorMessage: 'no answer from 10.0.0.1:80',
  queue: 'billing.orders',
}

describe('fingerprintCause', () => {
  it('is the same in every run and on every machine', () => {
    expect(fingerprintCause(timeout)).toEqual({
      id: '9f9bbfa1930e',
      label: 'TimeoutError: no answer from <host> (billing.orders)',
      kind: 'error',
    })
  })

  it('is the same for messages that differ in what normalising removes', () => {
    const other = { ...timeout, errorMessage: 'no answer from 10.9.9.9:8080' }

    expect(fingerprintCause(other)).toEqual(fingerprintCause(timeout))
  })

  it.each([
    ['error type', { ...timeout, errorType: 'SocketError' }],
    ['error message', { ...timeout, errorMessage: 'answer too late' }],
    ['status', { ...timeout, statusCode: 503 }],
    ['reason', { ...timeout, reason: 'attempts-exhausted' }],
    ['queue', { ...timeout, queue: 'shipping.orders' }],
  ])('differs with the %s', (_, other) => {
    expect(fingerprintCause(other).id).not.toBe(fingerprintCause(timeout).id)
  })

  it('does not confuse parts that are equal only when joined', () => {
    const one = fingerprintCause({ errorType: 'a', errorMessage: 'b c' })
    const other = fingerprintCause({ errorType: 'a b', errorMessage: 'c' })

    expect(one.id).not.toBe(other.id)
  })

  it('stays unknown without an error and a reason, even with a queue', () => {
    expect(fingerprintCause({})).toEqual(unknownCause)
    expect(fingerprintCause({ queue: 'billing.orders', errorMessage: ' ' })).toEqual(unknownCause)
  })
})

describe('causeOf', () => {
  it.each<[string, PlainTable, string]>([
    [
      'Warren and the event bus',
      {
        'warren-error-type': 'TimeoutError',
        'x-final-error': 'no answer from 10.0.0.1:80',
        'x-original-queue': 'billing.orders',
      },
      'TimeoutError: no answer from <host> (billing.orders)',
    ],
    [
      'a status alone',
      { 'x-final-status-code': 503, 'x-original-queue': 'wms.queue.a' },
      'status 503 (wms.queue.a)',
    ],
    [
      'NServiceBus',
      {
        'NServiceBus.ExceptionInfo.ExceptionType': 'System.TimeoutException',
        'NServiceBus.ExceptionInfo.Message': 'took 31 s',
        'NServiceBus.FailedQ': 'sales',
      },
      'System.TimeoutException: took <n> s (sales)',
    ],
    [
      'MassTransit',
      { 'MT-Fault-ExceptionType': 'System.ArgumentException', 'MT-Fault-Message': 'no customer 7' },
      'System.ArgumentException: no customer <n>',
    ],
    ['Spring', { 'x-exception-message': 'Listener threw' }, 'Listener threw'],
  ])('reads what %s wrote', (_, headers, label) => {
    expect(causeIn(headers)).toMatchObject({ label, kind: 'error' })
  })

  it('falls back to the last death', () => {
    const cause = causeIn({
      'x-death': [
        { queue: 'billing', reason: 'delivery_limit', count: 1n },
        { queue: 'billing.wait', reason: 'expired', count: 20n },
      ],
    })

    expect(cause).toMatchObject({ label: 'delivery_limit (billing)', kind: 'death' })
  })

  it('prefers the queue and reason that were written down over those of the last death', () => {
    const cause = causeIn({
      'x-original-queue': 'billing',
      'warren-reason': 'poison',
      'x-death': [{ queue: 'billing.wait', reason: 'expired', count: 20n }],
    })

    expect(cause.label).toBe('poison (billing)')
  })

  it.each<[string, PlainTable]>([
    ['no headers', {}],
    ['other headers', { tenant: 'blue', 'x-original-queue': 'billing' }],
    ['an error that is no text', { 'x-final-error': 5 }],
    ['an empty error', { 'x-final-error': '' }],
  ])('is unknown with %s', (_, headers) => {
    expect(causeIn(headers)).toEqual(unknownCause)
  })
})
