import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkShape } from './check-shape.ts'
import { topologySchema } from './topology-schema.ts'

const isValid = new Ajv().compile(topologySchema)

const full = {
  $schema: './topology.schema.json',
  layout: { name: 'freeflow', namespace: 'acme', domains: ['mail'], prefix: 'p' },
  exact: false,
  exchanges: {
    e: {
      type: 'topic',
      durable: true,
      autoDelete: false,
      internal: false,
      alternateExchange: 'f',
      bind: [{ exchange: 'f', key: 'k', arguments: { a: 1 } }],
      arguments: { nested: { list: [1, 'a', true] } },
    },
  },
  queues: {
    q: {
      layout: 'warren',
      exact: false,
      type: 'quorum',
      poisonLimit: 3,
      domain: 'd',
      durable: true,
      autoDelete: false,
      bind: [{ exchange: 'e' }],
      retry: { delays: ['5s', 1500], maxAttempts: 3, maxRetries: 2, arguments: {} },
      deadLetter: { arguments: { 'x-max-length': 1 } },
      arguments: { 'x-foo': 'bar' },
      accept: [{ finding: 'ends', reason: 'r' }],
    },
    plain: { retry: false, deadLetter: false },
  },
  publications: [{ exchange: 'e', key: 'k', headers: { h: 1 } }],
  accept: [{ finding: 'ends', queue: 'q', reason: 'r' }],
  recovery: { anything: 1 },
  server: { anything: [1] },
}

/** The same value with something else at one place, or one more setting there. */
function mutate(value: unknown, path: readonly number[], replacement: unknown): unknown {
  const [head, ...rest] = path
  if (head === undefined || typeof value !== 'object' || value === null) return replacement
  const entries = Object.entries(value)
  const at = head % (entries.length + 1)
  const [name, item] = entries[at] ?? ['surplus', undefined]
  const changed = { ...Object.fromEntries(entries), [name]: mutate(item, rest, replacement) }
  return Array.isArray(value) ? Object.values(changed) : changed
}

describe('the JSON Schema', () => {
  it('takes a declaration that uses every setting', () => {
    expect(isValid(full)).toBe(true)
    expect(checkShape(full, topologySchema)).toEqual([])
  })

  it('and the validator agree about every change to it', () => {
    const replacement = fc.constantFrom<unknown>(
      ...[
        null,
        true,
        false,
        0,
        1,
        -1,
        1.5,
        5e9,
        '',
        'a',
        '5s',
        '5s5s',
        'topic',
        'warren',
        'quorum',
        [],
        {},
        [1],
        [{}],
        { a: 1 },
      ],
    )
    let rejected = 0
    fc.assert(
      fc.property(fc.array(fc.nat(12), { maxLength: 5 }), replacement, (path, value) => {
        const changed = mutate(full, path, value)
        const isAccepted = isValid(changed)
        rejected += isAccepted ? 0 : 1

        expect(checkShape(changed, topologySchema).length === 0).toBe(isAccepted)
      }),
      { numRuns: 3000 },
    )
    expect(rejected).toBeGreaterThan(500)
  })
})
