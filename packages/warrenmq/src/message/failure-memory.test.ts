import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeTable } from '../wire/encode-table.ts'
import { type PlainTable, toFieldTable } from '../wire/plain-fields.ts'
import { createFailureMemory } from './failure-memory.ts'
import { causeOf, fingerprintCause } from './fingerprint-cause.ts'
import { findFailure, readFailure } from './read-failure.ts'

const encode = (headers: PlainTable) => encodeTable(toFieldTable(headers))
const timeout = {
  'warren-error-type': 'TimeoutError',
  'x-final-error': 'no answer from db-1:5432 after 300 ms',
  'warren-reason': 'attempts-exhausted',
  'x-original-queue': 'billing.orders-1',
}

function setup() {
  const memory = createFailureMemory<string>()
  const recall = (headers: PlainTable) => {
    const encoded = encode(headers)
    return memory.recall(encoded, findFailure(encoded))
  }
  return { memory, recall }
}

describe('the memory of failures', () => {
  it('knows a failure again whose error differs in its digits, wherever its headers stand', () => {
    const { memory, recall } = setup()
    recall(timeout)
    memory.remember('timeout')

    const other = { other: 1, ...timeout, 'x-final-error': 'no answer from db-2:5433 after 415 ms' }

    expect(recall(other)).toBe('timeout')
  })

  it.each<[string, PlainTable]>([
    ['letters of the error', { 'x-final-error': 'no answer from db-1:5432 after 300 s!' }],
    ['length of the error', { 'x-final-error': 'no answer from db-1:5432 after 3000 ms' }],
    ['type of the header', { 'x-final-error': Buffer.from(timeout['x-final-error']) }],
    ['type of the error', { 'warren-error-type': 'SocketError' }],
    ['status', { 'x-final-status-code': 503 }],
    ['reason', { 'warren-reason': 'rejected-by-handler' }],
    ['digits of the queue', { 'x-original-queue': 'billing.orders-2' }],
  ])('does not take one for another that differs in the %s', (_, change) => {
    const { memory, recall } = setup()
    recall(timeout)
    memory.remember('timeout')

    expect(recall({ ...timeout, ...change })).toBeUndefined()
  })

  it('keeps no failure that is too long for it, and takes none for one', () => {
    const { memory, recall } = setup()
    const long = { 'x-final-error': 'x'.repeat(5000) }
    recall(long)
    memory.remember('long')

    expect(recall(long)).toBeUndefined()
    expect(recall({ 'x-final-error': 'x'.repeat(4000) })).toBeUndefined()
  })

  it('forgets rather than grows', () => {
    const { memory, recall } = setup()
    for (let number = 0; number < 600; number += 1) {
      recall({ 'x-original-queue': `queue ${number}` })
      memory.remember(`queue ${number}`)
    }

    expect(recall({ 'x-original-queue': 'queue 0' })).toBeUndefined()
    expect(recall({ 'x-original-queue': 'queue 599' })).toBe('queue 599')
  })
})

const word = fc.constantFrom(
  'Order ',
  ' not found',
  'status ',
  '503',
  '404',
  '0x1f',
  '::1',
  '10.0.3.7:80',
  '7',
  '8',
)
const text = fc.array(word, { maxLength: 5 }).map((words) => words.join(''))
const failure = fc.record(
  {
    'warren-error-type': fc.constantFrom('', 'A', 'B'),
    'x-final-error': text,
    'exception-message': text,
    'x-final-status-code': fc.constantFrom(0, 404, 503),
    'warren-reason': fc.constantFrom('', 'expired'),
    'x-original-queue': fc.constantFrom('', 'a1', 'a2'),
  },
  { requiredKeys: [] },
)

describe('the cause of a dead letter', () => {
  it('is the one that its failure gives, whatever was seen before', () => {
    fc.assert(
      fc.property(fc.array(failure, { minLength: 1, maxLength: 10 }), (failures) => {
        for (const headers of failures) {
          const encoded = encode(headers as PlainTable)
          const written = readFailure(encoded, findFailure(encoded))
          expect(causeOf(encoded)).toEqual(fingerprintCause(written))
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
