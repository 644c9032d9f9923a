import { describe, expect, it } from 'vitest'
import type { ReturnedMessage } from '../broker/amqp/message.ts'
import { encodeProperties } from '../wire/properties.ts'
import { decideReturned } from './decide-returned.ts'

interface Fields {
  readonly name: string
  readonly id?: string
  readonly key?: string
  readonly body?: string
  readonly trace?: string
  readonly mandatory?: boolean
}

function propertiesOf({ id, trace }: Fields) {
  const headers =
    trace === undefined ? undefined : [{ name: 'trace', value: { type: 'S', value: trace } as const }]
  return encodeProperties({ messageId: id, headers })
}

function publish(fields: Fields) {
  const { name, key = 'nobody', body = 'x', mandatory = true } = fields
  const message = { exchange: '', key, properties: propertiesOf(fields), body: Buffer.from(body), mandatory }
  return { name, message }
}

function returned(fields: Omit<Fields, 'name'>): ReturnedMessage {
  const { message } = publish({ name: 'returned', ...fields })
  const { exchange, key: routingKey, properties, body } = message
  const reply = { replyCode: 312, replyText: 'NO_ROUTE' }
  return { exchange, routingKey, properties, body, bodyBytes: body.length, ...reply }
}

function decide(back: Omit<Fields, 'name'>, candidates: readonly Fields[], hasGivenUp = false) {
  const publishes = candidates.map(publish)
  const { publish: found, inDoubt } = decideReturned<ReturnType<typeof publish>>(returned(back), {
    hasGivenUp,
    some: (visit) => publishes.some(visit),
  })
  return [found?.name, inDoubt.map(({ name }) => name)]
}

describe('the publish that came back', () => {
  it.each<[string, Omit<Fields, 'name'>, Fields[], string]>([
    [
      'by its id',
      { id: '2' },
      [
        { name: 'a', id: '1' },
        { name: 'b', id: '2' },
      ],
      'b',
    ],
    ['by its key', { key: 'k' }, [{ name: 'a' }, { name: 'b', key: 'k' }], 'b'],
    ['by its body', { body: 'y' }, [{ name: 'a' }, { name: 'b', body: 'y' }], 'b'],
    [
      'by its headers, which decide the route',
      { trace: '2' },
      [{ name: 'a' }, { name: 'b', trace: '2' }],
      'b',
    ],
    ['without the headers that the broker took away', {}, [{ name: 'a', trace: '1' }], 'a'],
    ['as the first of two that are alike in all', {}, [{ name: 'a' }, { name: 'b' }], 'a'],
    ['only among those that asked for it', {}, [{ name: 'a', mandatory: false }, { name: 'b' }], 'b'],
    ['by bytes that spell a letter', { key: 'é' }, [{ name: 'a', key: '\udcc3\udca9' }, { name: 'b' }], 'a'],
  ])('is found %s', (_, back, candidates, name) => {
    expect(decide(back, candidates)).toEqual([name, []])
  })

  const changed = { body: 'changed since' }

  it.each<[string, Omit<Fields, 'name'>, Fields[], string]>([
    [
      'the one with its id',
      { id: '1' },
      [
        { name: 'a', id: '1', ...changed },
        { name: 'b', id: '2' },
      ],
      'a',
    ],
    [
      'the one that has no id either',
      {},
      [
        { name: 'a', id: '1' },
        { name: 'b', ...changed },
      ],
      'b',
    ],
    ['the only one', {}, [{ name: 'a', ...changed }], 'a'],
  ])('is %s where nothing is like it', (_, back, candidates, name) => {
    expect(decide(back, candidates)).toEqual([name, []])
  })

  it.each<[string, Omit<Fields, 'name'>, Fields[], string[]]>([
    [
      'those without an id',
      {},
      [
        { name: 'a', ...changed },
        { name: 'b', ...changed },
        { name: 'c', id: '1' },
      ],
      ['a', 'b'],
    ],
    ['all, where its id is nobody\u2019s', { id: '9' }, [{ name: 'a', id: '1' }, { name: 'b' }], ['a', 'b']],
    [
      'those of one id',
      { id: '1' },
      [
        { name: 'a', id: '1', ...changed },
        { name: 'b', id: '1', ...changed },
      ],
      ['a', 'b'],
    ],
  ])('may be any of several: %s', (_, back, candidates, names) => {
    expect(decide(back, candidates)).toEqual([undefined, names])
  })

  it('is one that settled before its answer, where nobody else has its id', () => {
    expect(decide({ id: '9' }, [{ name: 'a', id: '1' }], true)).toEqual([undefined, []])
  })

  it('may be one that settled before its answer, where there are no ids', () => {
    expect(decide({}, [{ name: 'a', ...changed }], true)).toEqual([undefined, ['a']])
  })
})
