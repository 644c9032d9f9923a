import { describe, expect, it } from 'vitest'
import { TopologyError } from '../errors.ts'
import { readTopology, validateTopology } from './validate-topology.ts'

const problems = (value: unknown) => validateTopology(value).map(({ path, problem }) => `${path}: ${problem}`)

describe('validation', () => {
  it.each<[string, unknown, string[]]>([
    [
      'an unknown layout is named with the one that was meant',
      { layout: 'ratatosk', queues: {} },
      ['layout: unknown layout "ratatosk"; did you mean "ratatoskr"?'],
    ],
    [
      'the same inside an object',
      { layout: { name: 'freflow' }, queues: {} },
      ['layout.name: unknown layout "freflow"; did you mean "freeflow"?'],
    ],
    [
      'an unknown setting is named with the one that was meant',
      { queues: { 'billing.orders': { retri: {} } } },
      [`queues['billing.orders'].retri: unknown setting "retri"; did you mean "retry"?`],
    ],
    ['queues must be there', {}, ['topology: needs "queues"']],
    ['a topology is an object', [], ['topology: must be an object, not []']],
    [
      'a wrong type is named',
      { queues: { q: { exact: 'yes' } } },
      ['queues.q.exact: must be true or false, not "yes"'],
    ],
    [
      'a bad duration is named',
      { queues: { q: { retry: { delays: ['soon', 0, -1, 1.5] } } } },
      [
        `queues.q.retry.delays[0]: must be a duration such as '30s', '5m', '1h30m' or 1500 (milliseconds), not "soon"`,
        'queues.q.retry.delays[1]: must be at least 1, not 0',
        'queues.q.retry.delays[2]: must be at least 1, not -1',
        `queues.q.retry.delays[3]: must be a duration such as '30s', '5m', '1h30m' or 1500 (milliseconds), not 1.5`,
      ],
    ],
    [
      'a duration that reads but cannot be',
      { queues: { q: { retry: { delays: ['5s5s', '60d', '0s'] } } } },
      [
        `queues.q.retry.delays[0]: must be a duration such as '30s', '5m', '1h30m' or 1500 (milliseconds), not "5s5s"`,
      ],
    ],
    [
      'a delay over the longest TTL',
      { queues: { q: { retry: { delays: ['60d', '0s'] } } } },
      [
        'queues.q.retry.delays[0]: is longer than 49 days, the longest TTL of RabbitMQ',
        'queues.q.retry.delays[1]: must be longer than 0',
      ],
    ],
    [
      'a quorum queue that is not durable or deletes itself, also where the type is the default',
      {
        queues: {
          q: { durable: false, autoDelete: true },
          s: { type: 'stream', deadLetter: false, autoDelete: true },
        },
      },
      [
        'queues.q.durable: a quorum queue is always durable',
        'queues.q.autoDelete: a quorum queue cannot delete itself; remove this setting, or use "type: classic"',
        'queues.s.autoDelete: a stream queue cannot delete itself; remove this setting, or use "type: classic"',
      ],
    ],
    [
      'a number that JSON has no word for',
      { queues: { q: { retry: { delays: [Number.POSITIVE_INFINITY] } } } },
      [
        `queues.q.retry.delays[0]: must be a duration such as '30s', '5m', '1h30m' or 1500 (milliseconds), not Infinity`,
      ],
    ],
    [
      'two numbers of attempts',
      { queues: { q: { retry: { maxAttempts: 3, maxRetries: 2 } } } },
      ['queues.q.retry: use maxAttempts or maxRetries, not both'],
    ],
    [
      'a ladder in a layout with one wait queue',
      { layout: 'ratatoskr', queues: { q: { retry: { delays: ['5s', '1m'] } } } },
      [
        'queues.q.retry.delays: layout ratatoskr has one wait queue, so it takes one delay; use layout warren for a ladder',
      ],
    ],
    [
      'a loop without its loop',
      { layout: 'isolated', queues: { q: { retry: false } } },
      [
        'queues.q.retry: layout isolated is a retry loop and cannot do without retries; use layout warren, or "deadLetter: false" for a plain queue',
      ],
    ],
    [
      'a setting of another layout',
      { queues: { q: { domain: 'user', layout: { name: 'warren', prefix: 'p' } } } },
      [
        'queues.q.domain: has no meaning in layout warren; it belongs to freeflow',
        'queues.q.layout.prefix: has no meaning in layout warren; it belongs to event-bus',
      ],
    ],
    [
      'a parameter of another layout',
      { layout: { name: 'warren', namespace: 'n' }, queues: {} },
      ['layout.namespace: has no meaning in layout warren; it belongs to freeflow'],
    ],
    [
      'exact without a document',
      { exact: true, queues: { q: {}, r: {} } },
      ['exact: layout warren has no original design to follow exactly; remove "exact"'],
    ],
    [
      'a stream with a dead-letter queue',
      { queues: { q: { type: 'stream' } } },
      ['queues.q.type: a stream cannot dead-letter; add "deadLetter: false", or use a quorum queue'],
    ],
    [
      'an argument of the wrong type',
      { queues: { q: { arguments: { 'x-max-length': '10', 'x-overflow': 'drop' } } } },
      [
        `queues.q.arguments['x-max-length']: must be a whole number of at least 0, not "10"`,
        `queues.q.arguments['x-overflow']: must be one of drop-head, reject-publish, reject-publish-dlx, not "drop"`,
      ],
    ],
    [
      'the queue type as an argument',
      { queues: { q: { arguments: { 'x-queue-type': 'quorum' } } } },
      [`queues.q.arguments['x-queue-type']: is set by "type" of the queue`],
    ],
    [
      'a binding to an exchange that is not declared',
      {
        exchanges: { 'orders.events': { type: 'topic' } },
        queues: {
          q: {
            bind: [
              { exchange: 'order.events' },
              { exchange: 'amq.topic' },
              { exchange: '' },
              { exchange: 'zzz' },
            ],
          },
        },
      },
      [
        'queues.q.bind[0].exchange: exchange "order.events" is not declared; did you mean "orders.events"?',
        'queues.q.bind[2].exchange: the default exchange allows no bindings: it already reaches every queue by its name',
        'queues.q.bind[3].exchange: exchange "zzz" is not declared; add it under "exchanges"',
      ],
    ],
    [
      'reserved and empty names',
      { exchanges: { 'amq.mine': { type: 'direct' } }, queues: { '': {} } },
      [
        'queues[\'\']: queue "" has no name; the empty name means the default exchange, or a queue named by the broker',
        `exchanges['amq.mine']: exchange "amq.mine" starts with "amq.", which RabbitMQ reserves; choose another name`,
      ],
    ],
    [
      'an acceptance of nothing that exists',
      { queues: { q: {} }, accept: [{ finding: 'come-home', queue: 'qq', reason: 'r' }] },
      [
        'accept[0].finding: there is no finding "come-home"; did you mean "comes-home"?',
        'accept[0].queue: queue "qq" is not declared; did you mean "q"?',
      ],
    ],
    [
      'two queues that make one name in two ways',
      {
        queues: { a: {}, 'a.dlq': { layout: 'ratatoskr', exact: true } },
      },
      ['queues: queue "a.dlq" is declared twice, with different settings; rename one of the two'],
    ],
  ])('%s', (_title, value, expected) => {
    expect(problems(value)).toEqual(expected)
  })

  it('a name that a layout makes too long is found, counted in bytes', () => {
    const name = 'ü'.repeat(125)

    const found = problems({ queues: { [name]: { retry: { delays: ['30m'] } } } })

    expect(found).toEqual([
      `queues['${name}']: queue "${'ü'.repeat(40)}…" has 260 bytes; RabbitMQ allows at most 255, so shorten it`,
    ])
  })

  it('all mistakes come at once, in one error', () => {
    const value = { layout: 'x', queues: { q: { typ: 'quorum', exact: 1 } } }

    expect(() => readTopology(value)).toThrow(TopologyError)
    expect(problems(value)).toHaveLength(3)
  })
})
