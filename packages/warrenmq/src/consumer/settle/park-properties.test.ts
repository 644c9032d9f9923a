import { describe, expect, it } from 'vitest'
import { causeOf } from '../../message/fingerprint-cause.ts'
import { decodeTable } from '../../wire/decode-table.ts'
import { toFieldTable, toPlainTable, typed } from '../../wire/plain-fields.ts'
import {
  decodeProperties,
  encodeProperties,
  type RawProperties,
  readProperty,
} from '../../wire/properties.ts'
import { bareParkProperties, type Park, parkProperties } from './park-properties.ts'
import { deferProperties, retryProperties } from './republish.ts'

const headersOfSeeds = {
  attempts: 'x-retry-count',
  originalExchange: 'x-original-exchange',
  originalRoutingKey: 'x-original-routing-key',
  originalQueue: 'x-original-queue',
  finalStatusCode: 'x-final-status-code',
  finalError: 'x-final-error',
  finalRetryCount: 'x-final-retry-count',
}
const rejections = { kind: 'rejections', queue: 'work', baseHeader: 'x-retry-count' } as const
const flow: Park['flow'] = { queue: 'work', attempts: rejections, headers: headersOfSeeds }

const death = {
  queue: 'work',
  reason: 'rejected',
  count: 2n,
  time: typed({ type: 'T', value: 1_700_000_000n }),
  exchange: 'orders',
  'routing-keys': ['order.placed'],
}
const brokerHeaders = {
  'x-death': [death],
  'x-first-death-queue': 'work',
  'x-first-death-reason': 'rejected',
  'x-first-death-exchange': 'orders',
  'x-delivery-count': 3,
  CC: ['elsewhere'],
}

function delivered(headers: object, more: object = {}): Park['delivery'] {
  const properties = encodeProperties({
    messageId: 'm1',
    deliveryMode: 1,
    expiration: '5000',
    headers: toFieldTable({ tenant: 'a', ...headers }),
    ...more,
  })
  return { properties, exchange: '', routingKey: 'work' }
}

const parkOf: Park = {
  delivery: delivered(brokerHeaders),
  flow,
  login: 'guest',
  failedAttempts: 3,
  reason: 'attempts-exhausted',
  failure: { errorType: 'TypeError', errorMessage: 'no price', stack: 'TypeError: no price\n    at x' },
  nowMs: Date.parse('2024-01-02T03:04:05.678Z'),
  service: 'billing',
  host: 'node-1',
}

function park(more: Partial<Park> = {}): RawProperties {
  return parkProperties({ ...parkOf, ...more })
}
const headersOf = (raw: RawProperties) => toPlainTable(decodeTable(readProperty(raw, 'headers')!))

describe('a dead letter', () => {
  it('says where it comes from, why it is here, and keeps its deaths', () => {
    const raw = park()

    expect(decodeProperties(raw)).toMatchObject({ messageId: 'm1', deliveryMode: 2 })
    expect(headersOf(raw)).toMatchObject({
      tenant: 'a',
      'x-death': [{ queue: 'work', reason: 'rejected', count: 2 }],
      'x-retry-count': 3,
      'x-original-queue': 'work',
      'x-original-exchange': 'orders',
      'x-original-routing-key': 'order.placed',
      'x-final-error': 'no price',
      'x-final-retry-count': 2,
      'warren-reason': 'attempts-exhausted',
      'warren-error-type': 'TypeError',
      'warren-error-stack': 'TypeError: no price\n    at x',
      'warren-service': 'billing',
      'warren-host': 'node-1',
      'warren-first-failed-at': '2023-11-14T22:13:20.000Z',
      'warren-last-failed-at': '2024-01-02T03:04:05.678Z',
      'warren-deaths-seen': { rejections: 2 },
    })
  })

  it('has no header that a broker would obey, and no time to live', () => {
    const raw = park()

    expect(decodeProperties(raw).expiration).toBeUndefined()
    expect(Object.keys(headersOf(raw))).not.toEqual(expect.arrayContaining(['CC']))
    expect(headersOf(raw)).toMatchObject({ 'warren-stripped': { CC: ['elsewhere'], expiration: '5000' } })
  })

  it('carries the cause that every later reader finds in its headers', () => {
    const headers = readProperty(park(), 'headers')
    expect(toPlainTable(decodeTable(headers!))['warren-cause']).toBe(causeOf(headers).id)
  })

  it('forgets the error of an earlier death', () => {
    const first = {
      properties: park({ failure: { statusCode: 500, errorMessage: 'old' } }),
      exchange: '',
      routingKey: 'q',
    }
    const headers = headersOf(park({ delivery: first, failure: {}, reason: 'poison' }))

    expect(headers).not.toHaveProperty('x-final-error')
    expect(headers).not.toHaveProperty('x-final-status-code')
    expect(headers).toMatchObject({ 'warren-reason': 'poison', 'x-original-exchange': 'orders' })
  })

  it('fits its budget: the stack is cut before the error, and neither within a character', () => {
    const failure = { errorType: 'E', errorMessage: 'ü'.repeat(3_000), stack: 'é'.repeat(9_000) }
    const wide = headersOf(park({ failure }))
    expect(Buffer.byteLength(wide['warren-error-stack'] as string)).toBe(8_192)
    expect(wide['x-final-error']).toBe('ü'.repeat(2_048))

    const narrow = park({ failure, budgetBytes: 4_000 })
    expect(narrow.length).toBeLessThanOrEqual(4_000)
    expect(headersOf(narrow)['x-final-error']).toMatch(/^ü+$/)
    expect(headersOf(narrow)).not.toHaveProperty('warren-error-stack')
  })

  it('never cuts what the message itself carries, however large', () => {
    const delivery = delivered({ big: 'x'.repeat(60_000) })
    const headers = headersOf(park({ delivery }))

    expect(headers.big).toHaveLength(60_000)
    expect(headers).toMatchObject({ 'warren-reason': 'attempts-exhausted' })
    expect(headers).not.toHaveProperty('warren-error-stack')
  })
})

describe('a dead letter on which not everything can be written', () => {
  it('has its own headers, why it is here, and nothing that a broker would obey', () => {
    const delivery = delivered({ ...brokerHeaders, 'warren-error-stack': 'of old' }, { userId: 'somebody' })
    const failure = { errorMessage: 'x'.repeat(1_000) }
    const properties = bareParkProperties({ ...parkOf, delivery, failure })

    expect(headersOf(properties)).toEqual({
      tenant: 'a',
      'warren-reason': 'attempts-exhausted',
      'x-original-queue': 'work',
      'x-final-error': 'x'.repeat(256),
    })
    const { messageId, deliveryMode, expiration, userId } = decodeProperties(properties)
    expect({ messageId, deliveryMode, expiration, userId }).toEqual({ messageId: 'm1', deliveryMode: 2 })
  })
})

describe('what a client sent', () => {
  const count = 'x-retry-count'

  it.each([2_147_483_647, Number.MAX_SAFE_INTEGER])(
    'as a count of %d is cut to what a count can be',
    (sent) => {
      const failedAttempts = sent + 1
      const most = 2_147_483_647
      expect(headersOf(park({ failedAttempts }))).toMatchObject({
        [count]: most,
        'x-final-retry-count': most,
      })
      const of = { delivery: delivered({}), flow, login: 'guest', failedAttempts }
      expect(headersOf(retryProperties({ ...of, nowMs: 5 }))).toMatchObject({ [count]: most })
    },
  )

  it('as the time of a death that no date can be is not believed', () => {
    const time = typed({ type: 'T', value: 8_900_000_000_000n })
    const delivery = delivered({ 'x-death': [{ ...death, time }] })
    const nowMs = Date.parse('2024-01-02T03:04:05.678Z')
    expect(headersOf(park({ delivery, nowMs }))).toMatchObject({
      'warren-first-failed-at': '2024-01-02T03:04:05.678Z',
    })
  })
})

it('the type of an error is cut, so that it cannot fill a frame', () => {
  const failure = { errorType: 'E'.repeat(200_000) }
  expect(headersOf(park({ failure }))['warren-error-type']).toBe('E'.repeat(256))
})

describe('a message that is published again', () => {
  const of = { delivery: delivered(brokerHeaders), flow, login: 'guest', failedAttempts: 2 }

  it('to be retried has its count, its origin and its first failure, and no death', () => {
    const headers = headersOf(retryProperties({ ...of, nowMs: 5 }))

    expect(headers).toMatchObject({
      'x-retry-count': 2,
      'x-original-exchange': 'orders',
      'x-original-routing-key': 'order.placed',
      'warren-first-failed-at': '2023-11-14T22:13:20.000Z',
    })
    expect(headers).not.toHaveProperty('x-death')
    expect(headers).not.toHaveProperty('x-delivery-count')
  })

  it('keeps the first failure and the origin over many retries', () => {
    const properties = retryProperties({ ...of, nowMs: 5 })
    const again = {
      ...of,
      delivery: { properties, exchange: 'other', routingKey: 'work' },
      failedAttempts: 3,
    }

    expect(headersOf(retryProperties({ ...again, nowMs: 6_000_000 }))).toMatchObject({
      'x-retry-count': 3,
      'x-original-routing-key': 'order.placed',
      'warren-first-failed-at': '2023-11-14T22:13:20.000Z',
    })
  })

  it('to wait says until when, and a retry forgets it', () => {
    const properties = deferProperties({ ...of, untilMs: 1_700_000_123_456 })
    expect(headersOf(properties)).toMatchObject({
      'warren-deferred-until': 1_700_000_123_456,
      'x-retry-count': 2,
    })

    const back = { ...of, delivery: { properties, exchange: '', routingKey: 'work' } }
    expect(headersOf(retryProperties({ ...back, nowMs: 5 }))).not.toHaveProperty('warren-deferred-until')
  })
})
