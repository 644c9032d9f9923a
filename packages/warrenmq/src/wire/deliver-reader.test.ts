import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyBytes } from '../../../../test/support/arbitrary/bytes.ts'
import { anyMethodNamed } from '../../../../test/support/arbitrary/methods.ts'
import { WireError } from '../errors.ts'
import { createDeliverReader } from './deliver-reader.ts'
import type { Method } from './method-specs.ts'
import { decodeMethod, encodeMethod } from './methods.ts'

/** Few and short texts, so that one delivery is often like the last in some of them, and some are no text. */
const anyText = fc.oneof(
  fc.constantFrom('', 'a', 'aa', 'ab', 'orders', 'order', 'grün'),
  anyBytes(3).map((bytes) => textOf(bytes)),
)
const anyDeliver = anyMethodNamed('basic.deliver', { shortstr: anyText })

describe('the reader of deliveries', () => {
  it('reads each as the method decoder does, whatever came before', () => {
    fc.assert(
      fc.property(fc.array(anyDeliver, { maxLength: 20 }), (methods) => {
        const read = createDeliverReader()

        for (const method of methods) {
          const payload = encodeMethod(method)
          const { name, redelivered, ...fields } = decodeMethod(payload) as Method<'basic.deliver'>
          expect(name).toBe('basic.deliver')
          expect(read(payload)).toEqual({ ...fields, isRedelivered: redelivered })
        }
      }),
      { numRuns: 500 },
    )
  })

  it('keeps its texts when the memory they were read from is written to again', () => {
    const read = createDeliverReader()
    const payload = encodeMethod({ ...deliverOf('orders'), deliveryTag: 1 })
    const first = read(payload)

    payload.write('ORDERS', payload.length - 6)

    expect(first.routingKey).toBe('orders')
    expect(read(payload).routingKey).toBe('ORDERS')
  })

  it('refuses a payload at every length but its own, and reads on', () => {
    fc.assert(
      fc.property(anyDeliver, fc.nat(), (method, cut) => {
        const read = createDeliverReader()
        const payload = encodeMethod(method)
        const shorter = payload.subarray(0, cut % payload.length)

        expect(() => read(shorter)).toThrowError(WireError)
        expect(() => read(Buffer.concat([payload, Buffer.from([0])]))).toThrowError(WireError)
        expect(read(payload).deliveryTag).toBe((method as Method<'basic.deliver'>).deliveryTag)
      }),
      { numRuns: 500 },
    )
  })
})

function deliverOf(routingKey: string): Method<'basic.deliver'> {
  return {
    name: 'basic.deliver',
    consumerTag: 'c',
    deliveryTag: 1,
    redelivered: false,
    exchange: '',
    routingKey,
  }
}

/** The text that stands for these bytes, as the decoder of methods gives it. */
function textOf(bytes: Buffer): string {
  const cancelOk = Buffer.concat([Buffer.from([0, 60, 0, 31, bytes.length]), bytes])
  return (decodeMethod(cancelOk) as Method<'basic.cancel-ok'>).consumerTag
}
