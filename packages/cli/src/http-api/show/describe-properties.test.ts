import { describe, expect, it } from 'vitest'
import { encodeProperties, noProperties } from 'warrenmq/operations'
import { describeProperties } from './describe-properties.ts'

const none = {
  contentType: null,
  contentEncoding: null,
  deliveryMode: null,
  priority: null,
  correlationId: null,
  replyTo: null,
  expiration: null,
  messageId: null,
  timestamp: null,
  type: null,
  userId: null,
  appId: null,
  clusterId: null,
}

describe('the properties of a message', () => {
  it('are all shown, and the headers are not among them', () => {
    const text = {
      contentType: 'application/json',
      contentEncoding: 'gzip',
      correlationId: 'c-1',
      replyTo: 'answers',
      expiration: '60000',
      messageId: 'm-1',
      type: 'OrderPlaced',
      userId: 'guest',
      appId: 'shop',
      clusterId: 'rabbit',
    }
    const raw = encodeProperties({
      ...text,
      deliveryMode: 2,
      priority: 7,
      timestamp: 1_893_456_000n,
      headers: [{ name: 'tenant', value: { type: 'S', value: 'acme' } }],
    })

    expect(describeProperties(raw)).toEqual({
      ...text,
      deliveryMode: 2,
      priority: 7,
      timestamp: '2030-01-01T00:00:00.000Z',
    })
  })

  it('that a message has none of are null, which is not zero and not empty', () => {
    expect(describeProperties(noProperties)).toEqual(none)
    expect(describeProperties(encodeProperties({ priority: 0, appId: '' }))).toEqual({
      ...none,
      priority: 0,
      appId: '',
    })
  })

  it('show a time that is no date as the seconds that it is', () => {
    const raw = encodeProperties({ timestamp: 2n ** 63n })

    expect(describeProperties(raw).timestamp).toBe('9223372036854775808')
  })
})
