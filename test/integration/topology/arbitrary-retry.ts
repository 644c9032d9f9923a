import fc from 'fast-check'
import { compileTopology } from '../../../packages/warrenmq/src/topology/compile-topology.ts'
import type {
  Arguments,
  BindingDeclaration,
  QueueDeclaration,
  TopologyDeclaration,
} from '../../../packages/warrenmq/src/topology/declaration.ts'
import { layoutNames } from '../../../packages/warrenmq/src/topology/layouts/layout-names.ts'

/**
 * One queue of any layout that retries, with its way home or to its DLQ bent now and then, and strangers that are
 * bound to whatever exchanges the layout has. Nothing in it expires or overflows but in the wait queue.
 */
export function arbitraryRetry(delayMs: number): fc.Arbitrary<TopologyDeclaration> {
  return subject(delayMs).chain((queue) => {
    const declared = { exchanges, queues: { [subjectName]: queue } }
    const names = compileTopology(declared, { brokerVersion: '4.0' }).exchanges.map(({ name }) => name)
    return fc.record({ a: stranger(names), b: stranger(names) }).map(
      (strangers): TopologyDeclaration => ({
        exchanges,
        queues: { [subjectName]: queue, ...strangers },
      }),
    )
  })
}

const subjectName = 'w-1'
const exchanges = { 'x.topic': { type: 'topic' }, 'x.fanout': { type: 'fanout' } } as const

/** Each layout as it is most of the time, so that what holds is seen as often as what does not. */
const bent = (ways: readonly Arguments[]): fc.Arbitrary<Arguments> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.constantFrom(...ways) })

function subject(delayMs: number): fc.Arbitrary<QueueDeclaration> {
  return fc
    .record({
      layout: fc.constantFrom(...layoutNames),
      isExact: fc.boolean(),
      bind: fc.constantFrom<readonly BindingDeclaration[] | undefined>(
        undefined,
        undefined,
        [],
        [{ exchange: 'x.topic', key: 'w-1.*' }],
      ),
      work: bent([
        { 'x-dead-letter-exchange': 'x.fanout' },
        { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'a' },
      ]),
      wait: bent([
        { 'x-dead-letter-exchange': 'x.topic', 'x-dead-letter-routing-key': 'w-1.back' },
        { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'b' },
      ]),
    })
    .map(({ layout, isExact, bind, work, wait }) => ({
      layout,
      exact: layout !== 'warren' && isExact,
      ...(bind && { bind }),
      arguments: work,
      retry: { delays: [delayMs], arguments: wait },
    }))
}

const keys = fc.constantFrom('#', '*', '', 'retry', 'parking', 'w-1', 'w-1.*', '*.retry', 'w-1.back')

function stranger(exchangeNames: readonly string[]): fc.Arbitrary<QueueDeclaration> {
  const binding = fc.record({ exchange: fc.constantFrom(...exchangeNames), key: keys })
  const bind = fc.uniqueArray(binding, {
    maxLength: 2,
    selector: ({ exchange, key }) => `${exchange} ${key}`,
  })
  return bind.map((bindings) => ({ type: 'classic', deadLetter: false, bind: bindings }))
}
