import { describe, expect, it } from 'vitest'
import { parseBrokerVersion } from '../message/broker-version.ts'
import { compileTopology } from '../topology/compile-topology.ts'
import type { TopologyDeclaration } from '../topology/declaration.ts'
import { toFieldTable } from '../wire/plain-fields.ts'
import { encodeTable } from '../wire/write-field.ts'
import { type GivenBack, isNearLimit, limitRuleOf } from './near-limit.ts'

/** The first count at which a message of the queue is near its limit; undefined where it never is. */
function nearFrom(
  declaration: TopologyDeclaration,
  {
    version,
    deliveryLimit,
    givenBack,
  }: {
    readonly version: string
    readonly deliveryLimit?: number | false
    readonly givenBack?: GivenBack
  },
): number | undefined {
  const [flow] = compileTopology(declaration, { brokerVersion: version }).flows
  const rule = limitRuleOf(flow!, deliveryLimit)
  const counts = Array.from({ length: 60 }, (_, count) => count)
  return counts.find((count) =>
    isNearLimit({
      headers: encodeTable(toFieldTable({ 'x-delivery-count': count })),
      version: parseBrokerVersion(version),
      rule,
      givenBack,
    }),
  )
}

const plain = { queues: { q: { deadLetter: false } } } as const
const own = { queues: { q: { deadLetter: false, arguments: { 'x-dead-letter-exchange': 'dlx' } } } } as const
const given: GivenBack = { times: 1, isLast: false }

describe('a message is near the limit of its queue', () => {
  it.each([
    ['a plain queue', plain, '3.10.8', undefined],
    ['a plain queue', plain, '4.0.5', 10],
    ['a plain queue', plain, '4.3.6', 10],
    ['a queue with a dead-letter exchange of its own', own, '4.0.5', undefined],
    ['layout warren', { queues: { q: {} } }, '4.0.5', undefined],
    ['layout ratatoskr', { layout: 'ratatoskr', queues: { q: {} } }, '4.0.5', undefined],
    ['layout ratatoskr, exact', { layout: 'ratatoskr', exact: true, queues: { q: {} } }, '3.10.8', undefined],
    ['layout ratatoskr, exact', { layout: 'ratatoskr', exact: true, queues: { q: {} } }, '4.0.5', 10],
    ['layout ratatoskr, exact', { layout: 'ratatoskr', exact: true, queues: { q: {} } }, '4.3.6', 10],
  ] as readonly [string, TopologyDeclaration, string, number | undefined][])(
    'where it would be lost over it, at half of it: %s on %s',
    (_, declaration, version, count) => {
      expect(nearFrom(declaration, { version })).toBe(count)
    },
  )

  it('as the user says it, on every version', () => {
    expect(nearFrom(plain, { version: '3.10.8', deliveryLimit: 5 })).toBe(3)
    expect(nearFrom(plain, { version: '4.3.6', deliveryLimit: 1 })).toBe(1)
    expect(nearFrom(plain, { version: '4.0.5', deliveryLimit: false })).toBeUndefined()
  })

  it('also where it would only be dead-lettered, if returns of our own are to blame', () => {
    const layout = { queues: { q: {} } }
    expect(nearFrom(layout, { version: '3.10.8', givenBack: given })).toBe(10)
    expect(nearFrom(layout, { version: '4.0.5', givenBack: given })).toBe(10)
    expect(nearFrom(layout, { version: '4.3.6', givenBack: given })).toBeUndefined()
  })
})
