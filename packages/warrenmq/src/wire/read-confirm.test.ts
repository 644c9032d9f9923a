import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyMethodNamed } from '../../../../test/support/arbitrary/methods.ts'
import { WireError } from '../errors.ts'
import type { Method } from './method-specs.ts'
import { encodeMethod } from './methods.ts'
import { readConfirm } from './read-confirm.ts'

const anyConfirm = fc.oneof(anyMethodNamed('basic.ack'), anyMethodNamed('basic.nack'))

describe('the reader of confirms', () => {
  it('reads each as the method decoder does', () => {
    fc.assert(
      fc.property(anyConfirm, (method) => {
        const { deliveryTag, multiple } = method as Method<'basic.ack'>

        expect(readConfirm(encodeMethod(method))).toEqual({ tag: deliveryTag, multiple })
      }),
    )
  })

  it('refuses a payload at every length but its own', () => {
    const payload = encodeMethod({ name: 'basic.ack', deliveryTag: 7, multiple: true })

    for (let bytes = 0; bytes < payload.length; bytes += 1)
      expect(() => readConfirm(payload.subarray(0, bytes))).toThrowError(WireError)
    expect(() => readConfirm(Buffer.concat([payload, Buffer.alloc(1)]))).toThrowError(WireError)
  })
})
