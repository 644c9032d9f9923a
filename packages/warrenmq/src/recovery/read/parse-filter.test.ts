import { describe, expect, test } from 'vitest'
import { type FilterSubject, matchesFilter } from './filter.ts'
import { parseFilter } from './parse-filter.ts'

const subject: FilterSubject = {
  id: 'm-1',
  types: ['OrderPlaced', 'Shop.OrderPlaced'],
  queue: 'billing.orders',
  exchange: 'shop.events',
  key: 'order.placed',
  cause: { id: 'abc123', label: 'TimeoutError: no answer (billing.orders)' },
  ageMs: 90 * 60_000,
  diedAtMs: Date.UTC(2026, 0, 31, 12),
  attempts: 4,
  header: (name) => ({ tenant: 'acme', at: '2026-01-01T00:00', retries: 7 })[name],
  json: { customer: { id: 42, tags: ['x'] } },
  text: 'the whole text with a Needle in it',
}

describe('a filter that holds', () => {
  test.each([
    ['type:OrderPlaced'],
    ['type:Order*'],
    ['type:Shop.OrderPlaced'],
    ['type!=Other'],
    ['cause:timeouterror'],
    ['cause:abc123'],
    ['queue:billing.orders'],
    ['key:order.*'],
    ['exchange:shop.events'],
    ['key!=order.paid'],
    ['id:m-1'],
    ['header.tenant:acme'],
    ['header.at:2026-01-01T00:00'],
    ['header.retries>6'],
    ['body.customer.id:42'],
    ['body.customer.id >= 42'],
    ['died<2h'],
    ['died>1h'],
    ['died>=2026-01-31T12:00Z'],
    ['died>=2026-01-31T12:59+01:00 and died<2026-02-01'],
    ['attempts>=3'],
    ['attempts<=4'],
    ['needle'],
    ['"a Needle in"'],
    ['type:OrderPlaced attempts:4'],
    ['type:No or (attempts>3 and not header.tenant:other)'],
    ['not type:No'],
    ['NOT (type:No OR queue:no)'],
  ])('%s', (source) => {
    expect(matchesFilter(parseFilter(source), subject)).toBe(true)
  })
})

describe('a filter that does not hold', () => {
  test.each([
    ['type:Orde'],
    ['type:orderplaced'],
    ['type!=OrderPlaced'],
    ['type!=Shop.OrderPlaced'],
    ['header.missing:x'],
    ['header.missing>1'],
    ['body.customer.name:x'],
    ['body.customer.constructor:x'],
    ['died<1h'],
    ['died>2026-01-31T12:00:00.000Z'],
    ['attempts>4'],
    ['haystack'],
    ['type:OrderPlaced and attempts:5'],
    ['not needle'],
    ['cause!=timeouterror'],
  ])('%s', (source) => {
    expect(matchesFilter(parseFilter(source), subject)).toBe(false)
  })
})

describe('a mistake points at its column', () => {
  test.each([
    ['', 1],
    ['type:', 6],
    ['colour:red', 1],
    ['type:A and', 11],
    ['type:A and )', 12],
    ['(type:A', 1],
    ['type:A)', 7],
    ['died<soon', 6],
    ['died=2h', 5],
    ['died=2026-01-31', 5],
    ['died>2026-13-31', 6],
    ['died>2026-01-31T12:00', 6],
    ['attempts>many', 10],
    ['attempts>=""', 11],
    ['attempts<" "', 10],
    ['  "open', 3],
    ['= 3', 1],
    ['type:A and or type:B', 12],
    ['type:A or or type:B', 11],
    ['or type:A', 1],
    ['type:A not and type:B', 12],
  ])('%j at %i', (source, column) => {
    expect(() => parseFilter(source)).toThrow(expect.objectContaining({ code: 'FILTER_INVALID', column }))
  })
})

test('a word that joins conditions is text in quotation marks, and a value behind a field', () => {
  expect(parseFilter('"or"')).toEqual({ kind: 'text', text: 'or' })
  expect(parseFilter('type:and')).toMatchObject({ kind: 'compare', value: 'and' })
})

test('and binds closer than or', () => {
  expect(parseFilter('a or b c')).toEqual({
    kind: 'or',
    parts: [
      { kind: 'text', text: 'a' },
      {
        kind: 'and',
        parts: [
          { kind: 'text', text: 'b' },
          { kind: 'text', text: 'c' },
        ],
      },
    ],
  })
})
