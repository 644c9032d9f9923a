import { describe, expect, it } from 'vitest'
import { compileTopology } from '../../topology/compile-topology.ts'
import { type PlainTable, toFieldTable } from '../../wire/plain-fields.ts'
import { editProperties, encodeProperties } from '../../wire/properties.ts'
import { recountProperties } from '../settle/republish.ts'
import { createLostAckMemory, type Rememberable } from './lost-ack-memory.ts'

function delivery({
  messageId = 'm1' as string | null,
  body = 'body',
  headers = undefined as PlainTable | undefined,
  routingKey = 'work',
} = {}): Rememberable {
  const properties = encodeProperties({
    messageId: messageId ?? undefined,
    headers: headers && toFieldTable(headers),
  })
  const bytes = Buffer.from(body)
  return { properties, body: bytes, bodyBytes: bytes.length, exchange: '', routingKey }
}

/** What comes of a message that is put at the end of its queue because we returned it too often. */
function recount(from: Rememberable): Rememberable {
  const [flow] = compileTopology(
    { queues: { work: { deadLetter: false } } },
    { brokerVersion: '4.0.5' },
  ).flows
  const of = { delivery: from, flow: flow!, login: 'guest', failedAttempts: 0 }
  return { ...from, properties: recountProperties({ ...of, deliveries: 0, why: 'near-limit' }) }
}

function redelivered(of: Rememberable, count: number): Rememberable {
  const set = toFieldTable({ 'x-delivery-count': count })
  return { ...of, properties: editProperties(of.properties, { headers: { set } }) }
}

function setup(prefetch = 3) {
  let nowMs = 0
  const clock = { now: () => nowMs, schedule: () => () => undefined }
  const memory = createLostAckMemory({ clock, prefetch })
  const turn = (ms: number) => {
    nowMs += ms
  }
  return { memory, turn }
}

describe('a lost acknowledgement', () => {
  it('is remembered once, and only when the channel was lost', () => {
    const { memory } = setup()
    memory.acknowledged(delivery())
    expect(memory.take(delivery())).toBeUndefined()

    memory.channelLost([])

    expect(memory.take(delivery())).toBe('done')
    expect(memory.take(delivery())).toBeUndefined()
  })

  it('is found whatever the broker counts on the way back', () => {
    const { memory } = setup()
    memory.handled(delivery())
    expect(memory.take(delivery({ headers: { 'x-delivery-count': 1, 'x-acquired-count': 1 } }))).toBe('done')
  })

  it('is found in whatever order the broker gives the headers', () => {
    const { memory } = setup()
    memory.handled(delivery({ headers: { tenant: 'a', region: 'b' } }))
    expect(memory.take(delivery({ headers: { region: 'a', tenant: 'b' } }))).toBeUndefined()
    expect(memory.take(delivery({ headers: { region: 'b', tenant: 'a', 'x-delivery-count': 1 } }))).toBe(
      'done',
    )
  })

  it.each([
    ['a retried copy', delivery({ headers: { 'warren-attempts': 1 } })],
    ['one that was dead-lettered', delivery({ headers: { 'x-death': [{ queue: 'work' }] } })],
    ['another body under the same id', delivery({ body: 'other' })],
    ['another address', delivery({ routingKey: 'elsewhere' })],
    ['another message', delivery({ messageId: 'm2' })],
  ])('is never taken for %s', (_, other) => {
    const { memory } = setup()
    memory.handled(delivery())
    expect(memory.take(other)).toBeUndefined()
    expect(memory.take(delivery())).toBe('done')
  })

  it.each([
    ['none', 0],
    ['the largest number', 2_147_483_647],
  ])(
    'of a copy that started its count anew is never taken for that of the next one, after %s of them',
    (_, recounts) => {
      const { memory } = setup()
      const first = recount(delivery({ headers: { 'x-delivery-count': 10, 'warren-recounts': recounts } }))
      const second = recount(redelivered(first, 10))
      const third = recount(redelivered(second, 10))
      memory.handled(second)
      expect([first, third].map((other) => memory.take(redelivered(other, 1)))).toEqual([
        undefined,
        undefined,
      ])
      expect(memory.take(redelivered(second, 1))).toBe('done')
    },
  )

  it('of a message without an id is not remembered, since its equal may be another message', () => {
    const { memory } = setup()
    memory.acknowledged(delivery({ messageId: null }))
    memory.channelLost([])
    expect(memory.take(delivery({ messageId: null }))).toBeUndefined()
  })

  it('can only be one of the last that the prefetch allows', () => {
    const { memory } = setup(2)
    for (const messageId of ['a', 'b', 'c']) memory.acknowledged(delivery({ messageId }))
    memory.channelLost([])
    const known = ['a', 'b', 'c'].map((messageId) => memory.take(delivery({ messageId })))
    expect(known).toEqual([undefined, 'done', 'done'])
  })

  it('of a large body is remembered without the body', () => {
    const { memory } = setup()
    const large = { body: 'x'.repeat(100_000) }
    memory.acknowledged(delivery(large))
    memory.channelLost([])
    expect(memory.take(delivery({ body: 'x'.repeat(99_999) }))).toBeUndefined()
    expect(memory.take(delivery(large))).toBe('done')
  })

  it('is forgotten after two minutes, and when told to', () => {
    const { memory, turn } = setup()
    memory.handled(delivery())
    turn(120_001)
    expect(memory.take(delivery())).toBeUndefined()
    memory.handled(delivery())
    memory.forget(delivery())
    expect(memory.take(delivery())).toBeUndefined()
  })
})
