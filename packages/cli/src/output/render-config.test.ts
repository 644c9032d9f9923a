import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TopologyDeclaration } from 'warrenmq/operations'
import { renderConfigModule } from './render-config.ts'

/** Runs the rendered source, with a `defineTopology` that hands over what it is given. */
function readBack(source: string): unknown {
  const body = source.replace(/^import .*\n/, '').replace('export default ', 'return ')
  return new Function('defineTopology', body)((topology: unknown) => topology)
}

describe('a rendered config', () => {
  it('is written as a person would: short things on one line, keys bare where they can be', () => {
    const topology = {
      exchanges: { 'orders.events': { type: 'topic' } },
      queues: {
        orders: {
          bind: [
            { exchange: 'orders.events', key: 'order.placed.in.one.of.the.countries.of.the.north' },
            { exchange: 'orders.events', key: 'order.*' },
          ],
        },
      },
    } as const

    expect(renderConfigModule(topology, ['Why it is so.'])).toBe(`import { defineTopology } from 'warrenmq'

// Why it is so.
export default defineTopology({
  exchanges: { 'orders.events': { type: 'topic' } },
  queues: {
    orders: {
      bind: [
        { exchange: 'orders.events', key: 'order.placed.in.one.of.the.countries.of.the.north' },
        { exchange: 'orders.events', key: 'order.*' },
      ],
    },
  },
})
`)
  })

  it('reads back as the same value, whatever the names', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.integer(),
        fc.boolean(),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', "it's", 'a-b', '1')), tie('any'), {
          maxKeys: 3,
        }),
      ),
    })).any

    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), (queues) => {
        const topology = { queues } as unknown as TopologyDeclaration

        expect(plain(readBack(renderConfigModule(topology)))).toEqual(plain(topology))
      }),
    )
  })
})

// Objects made by fast-check may have no prototype, which is not what is compared here.
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
