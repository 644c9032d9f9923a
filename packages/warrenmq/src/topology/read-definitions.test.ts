import { describe, expect, it } from 'vitest'
import { readDefinitions } from './read-definitions.ts'

const definitions = {
  rabbitmq_version: '3.13.7',
  exchanges: [
    {
      name: 'e',
      vhost: '/',
      type: 'topic',
      durable: true,
      auto_delete: false,
      internal: false,
      arguments: {},
    },
    {
      name: 'e',
      vhost: 'other',
      type: 'fanout',
      durable: true,
      auto_delete: false,
      internal: false,
      arguments: {},
    },
  ],
  queues: [
    {
      name: 'q',
      vhost: '/',
      durable: true,
      auto_delete: false,
      arguments: { 'x-queue-type': 'quorum', 'x-message-ttl': 5 },
    },
    { name: 'c', vhost: '/', durable: false, auto_delete: true, arguments: {} },
  ],
  bindings: [
    {
      source: 'e',
      vhost: '/',
      destination: 'q',
      destination_type: 'queue',
      routing_key: 'k',
      arguments: { a: 1 },
    },
  ],
  policies: [
    { name: 'p', vhost: '/', pattern: '.*', 'apply-to': 'queues', priority: 2, definition: { expires: 9 } },
  ],
}

describe('definitions.json', () => {
  it('is read as a live broker, with the queue type apart from the arguments', () => {
    const live = readDefinitions(definitions)

    expect(live.brokerVersion.text).toBe('3.13.7')
    expect(live.exchanges.map(({ name, type }) => [name, type])).toEqual([['e', 'topic']])
    expect(live.queues).toEqual([
      { name: 'q', type: 'quorum', durable: true, autoDelete: false, arguments: { 'x-message-ttl': 5 } },
      { name: 'c', type: 'classic', durable: false, autoDelete: true, arguments: {} },
    ])
    expect(live.bindings).toEqual([
      { source: 'e', destination: 'q', destinationType: 'queue', key: 'k', arguments: { a: 1 } },
    ])
    expect(live.policies).toMatchObject([
      { name: 'p', applyTo: 'queues', priority: 2, definition: { expires: 9 } },
    ])
  })

  it('one vhost of several is taken by its name', () => {
    expect(readDefinitions(definitions, { vhost: 'other' }).exchanges.map(({ type }) => type)).toEqual([
      'fanout',
    ])
  })

  it('an export of one vhost does not repeat its name', () => {
    const { vhost: _vhost, ...queue } = definitions.queues[0]!

    expect(readDefinitions({ exchanges: [], queues: [queue] }).queues).toHaveLength(1)
  })

  it.each([[null], [[]], [{}], [{ queues: {} }]])('%j is not one, and that is said', (value) => {
    expect(() => readDefinitions(value)).toThrow('This is not a definitions.json')
  })
})
