import { describe, expect, it } from 'vitest'
import type { PlainField } from 'warrenmq'
import { renderHeaders } from './render-headers.ts'

const death = { queue: 'work', reason: 'rejected', count: 3, exchange: '', 'routing-keys': ['work'] }
const expiry = { queue: 'wait', reason: 'expired', count: 1, time: new Date(0) }

describe('a header on a terminal', () => {
  it.each<[string, PlainField, string]>([
    ['tenant', 'acme', 'tenant: acme'],
    ['big', 2n ** 60n, 'big: 1152921504606846976'],
    ['is-late', false, 'is-late: false'],
    ['nothing', null, 'nothing: null'],
    ['at', new Date(0), 'at: 1970-01-01T00:00:00.000Z'],
    ['bytes', Buffer.from([1, 2]), 'bytes: 2 bytes'],
    ['list', [1, ['a']], 'list: [1, [a]]'],
    ['table', { a: 1, b: { c: 'd' }, e: {} }, 'table: { a: 1, b: { c: d }, e: {} }'],
  ])('%s is one line', (name, value, line) => {
    expect(renderHeaders({ [name]: value })).toEqual([line])
  })

  it('that is a death history says where it died of what, and how often', () => {
    expect(renderHeaders({ 'x-death': [death, expiry] })).toEqual([
      'x-death: rejected in work (3 times), expired in wait',
    ])
    expect(renderHeaders({ 'warren-stripped': { 'x-death': [death], expiration: '60000' } })).toEqual([
      'warren-stripped: { x-death: rejected in work (3 times), expiration: 60000 }',
    ])
  })

  it.each<[PlainField, string]>([
    ['mine', 'x-death: mine'],
    [[], 'x-death: []'],
    [[{ queue: 'work' }], 'x-death: [{ queue: work }]'],
    [[death, 7], expect.stringMatching(/^x-death: \[\{ queue: work, .*\}, 7\]$/) as unknown as string],
  ])('that only has the name of one is shown as it is: %j', (value, line) => {
    expect(renderHeaders({ 'x-death': value })).toEqual([line])
  })

  it('is cut where it is long', () => {
    expect(renderHeaders({ stack: 'x'.repeat(500) })).toEqual([`stack: ${'x'.repeat(200)} …`])
  })

  it('begins no line of its own and steers no terminal, neither by its name nor by its value', () => {
    expect(renderHeaders({ 'a\nb': 'c\u001b[2J\td' })).toEqual(['a\\nb: c\\u001b[2J\\td'])
  })
})
