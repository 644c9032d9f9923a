import { describe, expect, it } from 'vitest'
import { compileTopology } from '../compile-topology.ts'
import type { TopologyDeclaration } from '../declaration.ts'
import { proveTopology } from './prove-topology.ts'

const prove = (declaration: TopologyDeclaration, brokerVersion: string) =>
  proveTopology(compileTopology(declaration, { brokerVersion }))
const codes = (declaration: TopologyDeclaration, brokerVersion: string) =>
  prove(declaration, brokerVersion).findings.map(
    ({ property, code, queue }) => `${queue}: ${property}/${code}`,
  )

describe('the seven properties', () => {
  it.each<[string, string, TopologyDeclaration, string[]]>([
    [
      'a publication that no queue takes',
      '4.0',
      { exchanges: { e: { type: 'topic' } }, queues: {}, publications: [{ exchange: 'e', key: 'x' }] },
      ['undefined: no-black-hole/publication-unrouted'],
    ],
    [
      'a dead-letter exchange that is not declared',
      '4.0',
      { queues: { q: { arguments: { 'x-dead-letter-exchange': 'ghost' } } } },
      ['q: no-black-hole/dead-letter-exchange-missing'],
    ],
    [
      'a dead letter whose own key is not bound',
      '4.0',
      {
        exchanges: { e: { type: 'topic' }, dead: { type: 'direct' } },
        queues: {
          q: { bind: [{ exchange: 'e', key: 'a.#' }], arguments: { 'x-dead-letter-exchange': 'dead' } },
          d: { bind: [{ exchange: 'dead', key: 'a.b' }] },
        },
      },
      ['q: no-black-hole/dead-letter-unrouted'],
    ],
    [
      'a domain whose retries nobody takes back',
      '4.0',
      {
        layout: { name: 'freeflow' },
        queues: { q: { domain: 'd', bind: [{ exchange: 'freeflow.events', key: 'd.new' }] } },
      },
      [
        'freeflow.d.retry.30s: no-black-hole/dead-letter-unrouted',
        'freeflow.d.retry.5m: no-black-hole/dead-letter-unrouted',
        'freeflow.d.retry.30m: no-black-hole/dead-letter-unrouted',
        'q: comes-home/never-returns',
        'q: comes-home/never-returns',
        'q: comes-home/never-returns',
      ],
    ],
    [
      'two queues that reject to each other',
      '4.0',
      {
        queues: {
          a: {
            arguments: {
              'x-dead-letter-exchange': '',
              'x-dead-letter-routing-key': 'b',
              'x-delivery-limit': -1,
            },
          },
          b: {
            arguments: {
              'x-dead-letter-exchange': '',
              'x-dead-letter-routing-key': 'a',
              'x-delivery-limit': -1,
            },
          },
        },
      },
      ['a: ends/uncounted-cycle', 'b: ends/uncounted-cycle'],
    ],
    [
      'a classic wait queue in front of a quorum queue',
      '4.0',
      {
        queues: {
          work: {},
          wait: {
            type: 'classic',
            deadLetter: false,
            arguments: {
              'x-message-ttl': 1,
              'x-dead-letter-exchange': '',
              'x-dead-letter-routing-key': 'work',
            },
          },
        },
      },
      ['wait: no-silent-loss/classic-to-quorum-hop'],
    ],
    [
      'a plain quorum queue under the default limit',
      '4.0',
      { queues: { q: { deadLetter: false } } },
      ['q: no-silent-loss/delivery-limit-drops', 'q: second-failure/no-dead-letter-queue'],
    ],
    [
      'a plain queue that deletes in every way there is',
      '3.10',
      {
        queues: {
          q: {
            type: 'classic',
            deadLetter: false,
            durable: false,
            autoDelete: true,
            arguments: { 'x-message-ttl': 1, 'x-expires': 1, 'x-max-length': 1 },
          },
        },
      },
      [
        'q: no-silent-loss/queue-expires',
        'q: no-silent-loss/ttl-deletes',
        'q: no-silent-loss/drop-head',
        'q: no-silent-loss/not-durable',
        'q: no-silent-loss/auto-delete',
        'q: second-failure/no-dead-letter-queue',
      ],
    ],
    [
      'a stream that keeps its messages only so long',
      '4.0',
      {
        queues: {
          q: {
            type: 'stream',
            deadLetter: false,
            arguments: { 'x-max-age': '7D', 'x-max-length-bytes': 1_000_000 },
          },
        },
      },
      [
        'q: no-silent-loss/retention-deletes',
        'q: no-silent-loss/retention-deletes',
        'q: second-failure/no-dead-letter-queue',
      ],
    ],
    [
      'a DLQ with a TTL and a length limit',
      '4.0',
      { queues: { q: { deadLetter: { arguments: { 'x-message-ttl': 1000, 'x-max-length': 10 } } } } },
      ['q.dlq: dlq-keeps/ttl', 'q.dlq: dlq-keeps/drop-head'],
    ],
    [
      'a DLQ with -1 on 3.10, where that drops at the first look',
      '3.10',
      { queues: { q: { deadLetter: { arguments: { 'x-delivery-limit': -1 } } } } },
      ['q.dlq: dlq-keeps/delivery-limit', 'q.dlq: right-for-version/misread'],
    ],
    [
      'a full classic target behind an at-most-once hop',
      '4.0',
      {
        queues: {
          q: {
            type: 'classic',
            deadLetter: { arguments: { 'x-max-length': 1, 'x-overflow': 'reject-publish' } },
          },
        },
      },
      [
        'q: no-silent-loss/at-most-once-hop',
        'q: no-silent-loss/full-target-drops',
        'q.retry.5s: no-silent-loss/at-most-once-hop',
        'q.retry.30s: no-silent-loss/at-most-once-hop',
        'q.retry.5m: no-silent-loss/at-most-once-hop',
        'q.retry.30m: no-silent-loss/at-most-once-hop',
        'q.dlq: dlq-keeps/restart-drops',
      ],
    ],
    [
      'a classic queue that refuses publishes when it is full, and drops at a restart what came back to it',
      '4.3',
      {
        queues: {
          q: {
            type: 'classic',
            retry: false,
            deadLetter: false,
            arguments: { 'x-max-length': 100, 'x-overflow': 'reject-publish' },
          },
        },
      },
      ['q: no-silent-loss/restart-drops', 'q: second-failure/no-dead-letter-queue'],
    ],
    [
      'arguments that this version or type does not take',
      '3.10',
      {
        queues: {
          q: {
            arguments: { 'x-delayed-retry-type': 'all', 'x-max-priority': 3, 'x-delivery-limt': 3 },
          },
        },
      },
      ['q: right-for-version/ignored', 'q: right-for-version/refused', 'q: right-for-version/ignored'],
    ],
    [
      'at-least-once that a different overflow switches off',
      '4.0',
      { queues: { q: { arguments: { 'x-overflow': 'drop-head' } } } },
      ['q: no-silent-loss/at-most-once-hop', 'q: right-for-version/ignored'],
    ],
    [
      'a way round whose rejection 3.10 overlooks',
      '3.10',
      {
        queues: {
          a: {
            type: 'classic',
            deadLetter: false,
            arguments: {
              'x-message-ttl': 20,
              'x-dead-letter-exchange': '',
              'x-dead-letter-routing-key': 'b',
            },
          },
          b: {
            type: 'classic',
            deadLetter: false,
            arguments: { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'c' },
          },
          c: {
            type: 'classic',
            deadLetter: false,
            arguments: {
              'x-message-ttl': 20,
              'x-dead-letter-exchange': '',
              'x-dead-letter-routing-key': 'a',
            },
          },
        },
        accept: [
          { finding: 'no-silent-loss', reason: 'not of interest here' },
          { finding: 'second-failure', reason: 'not of interest here' },
          { finding: 'ends/uncounted-cycle', reason: 'not of interest here' },
        ],
      },
      ['a: ends/cut-cycle'],
    ],
    [
      'a producer whose messages expire in a loop of rejections',
      '3.10',
      {
        layout: 'ratatoskr',
        exchanges: { e: { type: 'fanout' } },
        queues: { q: { bind: [{ exchange: 'e' }] }, other: {} },
        publications: [{ exchange: 'e', expiration: '1m' }],
      },
      ['q: ends/cut-cycle'],
    ],
    [
      'a producer whose messages expire where nothing takes them',
      '3.10',
      {
        queues: { q: { type: 'classic', deadLetter: false }, work: {} },
        publications: [
          { exchange: '', key: 'q', expiration: 100 },
          { exchange: '', key: 'work.dlq', expiration: 100 },
          { exchange: '', key: 'work', expiration: 100 },
        ],
      },
      ['q: no-silent-loss/ttl-deletes', 'work.dlq: dlq-keeps/ttl', 'q: second-failure/no-dead-letter-queue'],
    ],
    [
      'a quorum queue that takes reject-publish-dlx for drop-head',
      '4.0',
      {
        queues: {
          q: {
            deadLetter: false,
            arguments: { 'x-max-length': 1, 'x-overflow': 'reject-publish-dlx', 'x-delivery-limit': -1 },
          },
        },
      },
      [
        'q: no-silent-loss/drop-head',
        'q: second-failure/no-dead-letter-queue',
        'q: right-for-version/ignored',
      ],
    ],
    [
      'a version with broken cycle detection',
      '3.13.1',
      { queues: {} },
      ['undefined: right-for-version/known-fault'],
    ],
  ])('%s is found', (_title, version, declaration, expected) => {
    expect(codes(declaration, version)).toEqual(expected)
  })

  const withPolicy = (pattern: string, definition: Record<string, string | number>): TopologyDeclaration => ({
    queues: { q: {} },
    policies: [{ name: 'tidy', pattern, definition }],
  })

  it.each<[string, string, TopologyDeclaration, string, string]>([
    [
      'a TTL on a DLQ',
      '4.0',
      withPolicy('dlq$', { 'message-ttl': 86_400_000 }),
      'q.dlq: dlq-keeps/ttl',
      'message-ttl',
    ],
    [
      'a length limit on a DLQ',
      '4.0',
      withPolicy('dlq$', { 'max-length': 9 }),
      'q.dlq: dlq-keeps/drop-head',
      'max-length',
    ],
    [
      ...([
        'a length limit in bytes on a DLQ',
        '4.0',
        withPolicy('dlq$', { 'max-length-bytes': 9 }),
      ] as const),
      ...(['q.dlq: dlq-keeps/drop-head', 'max-length-bytes'] as const),
    ],
    [
      'an expiry of a DLQ',
      '4.0',
      withPolicy('dlq$', { expires: 1_800_000 }),
      'q.dlq: dlq-keeps/queue-expires',
      'expires',
    ],
    [
      ...([
        'a limit that defeats an argument of -1',
        '4.0',
        withPolicy('dlq$', { 'delivery-limit': 5 }),
      ] as const),
      ...(['q.dlq: dlq-keeps/delivery-limit', 'delivery-limit'] as const),
    ],
    [
      'a limit on 3.10',
      '3.10',
      withPolicy('dlq$', { 'delivery-limit': 5 }),
      'q.dlq: dlq-keeps/delivery-limit',
      'delivery-limit',
    ],
    [
      ...([
        'an overflow that switches at-least-once off',
        '4.0',
        withPolicy('^q$', { overflow: 'drop-head' }),
      ] as const),
      ...(['q: no-silent-loss/at-most-once-hop', 'overflow'] as const),
    ],
    [
      'an expiry of a wait queue',
      '4.0',
      withPolicy('5s$', { expires: 60_000 }),
      'q.retry.5s: no-silent-loss/queue-expires',
      'expires',
    ],
  ])('a policy counts: %s', (_title, version, declaration, finding, key) => {
    const { findings } = prove(declaration, version)

    expect(findings.map(({ property, code, queue }) => `${queue}: ${property}/${code}`)).toEqual([finding])
    expect(findings[0]?.wayOut).toContain(`Remove ${key} from policy "tidy"`)
    expect(findings[0]?.path.join(' > ')).not.toMatch(/\d ms/)
  })

  it.each<[string, TopologyDeclaration['policies'] & {}, string[]]>([
    [
      'only the user policy of the highest priority applies',
      [
        { name: 'low', pattern: '.*', priority: 1, definition: { 'message-ttl': 5 } },
        { name: 'high', pattern: 'dlq$', priority: 2, definition: { 'delivery-limit': -1 } },
      ],
      [],
    ],
    [
      'an operator policy is merged with it',
      [
        { name: 'high', pattern: 'dlq$', priority: 2, definition: { 'delivery-limit': -1 } },
        { name: 'op', pattern: '', operator: true, definition: { 'max-length': 7 } },
      ],
      ['operator policy "op"'],
    ],
    [
      'of another kind of queue it does not apply',
      [{ name: 'c', pattern: '', applyTo: 'classic_queues', definition: { 'message-ttl': 5 } }],
      [],
    ],
    [
      'a dead-letter exchange of the queue wins over that of a policy',
      [{ name: 'd', pattern: '^q$', definition: { 'dead-letter-exchange': 'ghost' } }],
      [],
    ],
  ])('policies by precedence: %s', (_title, policies, setBy) => {
    const dlq = prove({ queues: { q: {} }, policies }, '4.0').findings.filter(({ queue }) =>
      ['q', 'q.dlq'].includes(queue ?? ''),
    )

    expect(dlq.map(({ wayOut }) => / from (?:policy "\w+" and )?(.+), and/.exec(wayOut)?.[1])).toEqual(setBy)
  })

  it.each(['#', '*.retry', 'user.#', '*.*'])(
    'a binding %s that sees the retries of a domain is found and named',
    (key) => {
      const queues = {
        'freeflow.user': {},
        spy: { layout: 'warren' as const, bind: [{ exchange: 'freeflow.events', key }] },
      }
      const proof = prove({ layout: 'freeflow', queues }, '4.0')

      expect(proof.findings.map(({ property, code, queue }) => [property, code, queue])).toEqual([
        ['comes-home', 'seen-by-others', 'freeflow.user'],
      ])
      expect(proof.findings[0]?.path).toEqual([
        'freeflow.user',
        'retry',
        'exchange freeflow.events.retry, key user.30s',
        'freeflow.user.retry.30s',
        'expired',
        'exchange freeflow.events, key user.retry',
        `binding ${key}`,
        'spy',
      ])
    },
  )
})
