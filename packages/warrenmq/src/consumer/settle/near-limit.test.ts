import { describe, expect, it } from 'vitest'
import { parseBrokerVersion } from '../../message/broker-version.ts'
import { compileTopology } from '../../topology/compile-topology.ts'
import type { TopologyDeclaration } from '../../topology/declaration.ts'
import { encodeTable } from '../../wire/encode-table.ts'
import { type PlainTable, toFieldTable } from '../../wire/plain-fields.ts'
import { type GivenBack, isNearLimit, limitRuleOf } from './near-limit.ts'

/** The first count at which a message of the queue is near its limit; undefined where it never is. */
function nearFrom(
  declaration: TopologyDeclaration,
  {
    version,
    deliveryLimit,
    givenBack,
    deaths = [],
  }: {
    readonly version: string
    readonly deliveryLimit?: number | false
    readonly givenBack?: GivenBack
    readonly deaths?: PlainTable[]
  },
): number | undefined {
  const [flow] = compileTopology(declaration, { brokerVersion: version }).flows
  const rule = limitRuleOf(flow!, deliveryLimit)
  const counts = Array.from({ length: 60 }, (_, count) => count)
  return counts.find((count) =>
    isNearLimit({
      headers: encodeTable(toFieldTable({ 'x-delivery-count': count, 'x-death': deaths })),
      version: parseBrokerVersion(version),
      rule,
      givenBack,
    }),
  )
}

const plain = { queues: { q: { deadLetter: false } } } as const
const limited = (limit: number): TopologyDeclaration => ({
  queues: { q: { deadLetter: false, arguments: { 'x-delivery-limit': limit } } },
})
const ratatoskr = { layout: 'ratatoskr', queues: { q: {} } } as const
const own = { queues: { q: { deadLetter: false, arguments: { 'x-dead-letter-exchange': 'dlx' } } } } as const
const given: GivenBack = { times: 1, isLast: false }

describe('a message is near the limit of its queue', () => {
  it.each([
    ['a plain queue', plain, '3.10.8', undefined],
    ['a plain queue', plain, '4.0.5', 10],
    ['a plain queue', plain, '4.3.6', 10],
    ['a queue with a dead-letter exchange of its own', own, '4.0.5', undefined],
    ['layout warren', { queues: { q: {} } }, '4.0.5', undefined],
    ['layout ratatoskr', ratatoskr, '3.10.8', undefined],
    ['layout ratatoskr, which an upgrade may have left with a limit', ratatoskr, '4.0.5', 10],
    ['a plain queue that was declared with a limit', limited(6), '3.10.8', 3],
    ['a plain queue that was declared with a limit', limited(6), '4.3.6', 3],
    ['a plain queue that allows no return', limited(0), '4.0.5', 1],
    ['a plain queue whose limit is lifted', limited(-1), '4.0.5', undefined],
    ['a plain queue with a limit of -1, which allows no return there', limited(-1), '3.10.8', 1],
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
    expect(nearFrom(limited(6), { version: '3.10.8', deliveryLimit: 10 })).toBe(5)
    expect(nearFrom(plain, { version: '4.3.6', deliveryLimit: 1 })).toBe(1)
    expect(nearFrom(plain, { version: '4.0.5', deliveryLimit: false })).toBeUndefined()
  })

  it('also where it would only be dead-lettered, if returns of our own are to blame', () => {
    const layout = { queues: { q: {} } }
    expect(nearFrom(layout, { version: '3.10.8', givenBack: given })).toBe(10)
    expect(nearFrom(layout, { version: '4.0.5', givenBack: given })).toBe(10)
    expect(nearFrom(layout, { version: '4.3.6', givenBack: given })).toBeUndefined()
    const ownLimit = { queues: { q: { poisonLimit: 6 } } }
    expect(nearFrom(ownLimit, { version: '4.0.5', givenBack: given })).toBe(3)
  })

  it('whatever other queues say of its rejections, if the count holds those of its own queue', () => {
    const rejectedBy = (queue: string) => ({
      version: '4.0.5',
      deaths: [{ queue, reason: 'rejected', count: 30n }],
    })
    expect(nearFrom(plain, rejectedBy('q'))).toBe(40)
    expect(nearFrom(plain, rejectedBy('other'))).toBe(10)
  })
})
