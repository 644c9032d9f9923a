import { describe, expect, it } from 'vitest'
import { encodePublish } from '../broker/amqp/encode-publish.ts'
import { createPublishMethods } from './publish-methods.ts'

const addresses = [
  { exchange: '', key: 'orders' },
  { exchange: 'orders', key: '' },
  { exchange: 'orders', key: '', mandatory: false },
  { exchange: 'orders', key: '', mandatory: true },
  { exchange: 'or', key: 'ders' },
]

describe('the methods of publishes', () => {
  it('encodes each address as itself, whatever came before', () => {
    const methodFor = createPublishMethods()
    const rounds = addresses.flatMap((one) => addresses.flatMap((other) => [one, one, other]))

    for (const address of rounds) {
      const { exchange, key, mandatory = true } = address
      expect(methodFor(address)).toEqual(encodePublish({ exchange, routingKey: key, mandatory }))
    }
  })

  it('encodes once what goes to the same address', () => {
    const methodFor = createPublishMethods()
    const first = methodFor({ exchange: '', key: 'orders' })
    methodFor({ exchange: '', key: 'other' })

    expect(methodFor({ exchange: '', key: 'orders' })).toBe(first)
  })
})
