import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAckLedger } from './ack-ledger.ts'

/** What RabbitMQ does with acks: a tag that is not open closes the channel, also at the end of a `multiple`. */
function createBroker() {
  const open = new Set<number>()
  const acked = new Set<number>()
  return {
    open,
    acked,
    deliver: (tag: number) => open.add(tag),
    nack: (tag: number) => {
      if (!open.delete(tag)) throw new Error(`406 PRECONDITION_FAILED - unknown delivery tag ${tag}`)
    },
    ack: (tag: number, multiple: boolean) => {
      if (!open.has(tag)) throw new Error(`406 PRECONDITION_FAILED - unknown delivery tag ${tag}`)
      for (const each of [...open]) {
        if (each !== tag && !(multiple && each < tag)) continue
        open.delete(each)
        acked.add(each)
      }
    },
  }
}

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('deliver' as const), needsAck: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('ack' as const), tag: fc.integer({ min: 0, max: 40 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('nack' as const), tag: fc.integer({ min: 0, max: 40 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
)

describe('the ack ledger', () => {
  it('tells the broker exactly what was acked, in any order, and never a tag that is not open', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const ledger = createAckLedger()
        const broker = createBroker()
        const wanted = new Set<number>()
        let lastTag = 0
        for (const each of steps) {
          if (each.kind === 'deliver') {
            lastTag += 1
            if (each.needsAck) broker.deliver(lastTag)
            ledger.opened(lastTag, each.needsAck)
          } else if (each.kind === 'ack') {
            if (ledger.ack(each.tag)) wanted.add(each.tag)
          } else if (each.kind === 'nack') {
            ledger.takeAcks(broker.ack) // as the channel does, before the delivery counts as settled
            if (ledger.settle(each.tag)) broker.nack(each.tag)
          } else {
            ledger.takeAcks(broker.ack)
          }
        }
        ledger.takeAcks(broker.ack)

        expect(broker.acked).toEqual(wanted)
        expect(ledger.openCount()).toBe(broker.open.size)
        expect(ledger.owedCount()).toBe(0)
      }),
      { numRuns: 2_000 },
    )
  })

  it('needs one ack for a thousand deliveries that were acked in order', () => {
    const ledger = createAckLedger()
    const sent: [number, boolean][] = []
    for (let tag = 1; tag <= 1000; tag += 1) ledger.opened(tag, true)
    for (let tag = 1; tag <= 1000; tag += 1) ledger.ack(tag)

    ledger.takeAcks((tag, multiple) => sent.push([tag, multiple]))

    expect(sent).toEqual([[1000, true]])
  })
})
