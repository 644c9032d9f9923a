import { describe, expect, it } from 'vitest'
import { compileTopology } from './compile-topology.ts'
import { proveTopology } from './prove/prove-topology.ts'
import { readDefinitions } from './read-definitions.ts'
import { recogniseTopology } from './recognise-topology.ts'
import { validateTopology } from './validate-topology.ts'

type Args = Record<string, string | number>

/** A definitions.json in few words. */
interface Shape {
  readonly exchanges?: Record<string, string>
  readonly queues: Record<string, Args>
  /** `source -> destination, key`. */
  readonly bindings?: readonly string[]
  readonly policies?: readonly {
    readonly pattern: string
    readonly definition: Args
    readonly operator?: boolean
  }[]
}

function definitionsOf({ exchanges = {}, queues, bindings = [], policies = [] }: Shape): object {
  const written = policies.map(({ pattern, definition, operator }, index) => ({
    name: `p${index}`,
    pattern,
    definition,
    priority: 0,
    'apply-to': 'queues',
    operator,
  }))
  return {
    rabbitmq_version: '3.13.7',
    exchanges: Object.entries(exchanges).map(([name, type]) => ({ name, type })),
    queues: Object.entries(queues).map(([name, args]) => ({ name, arguments: args })),
    bindings: bindings.map((binding) => {
      const [, source, destination, key = ''] = /^(\S+) -> ([^\s,]+)(?:, (.*))?$/.exec(binding) ?? []
      return { source, destination, destination_type: 'queue', routing_key: key, arguments: {} }
    }),
    policies: written.filter(({ operator }) => operator !== true),
    parameters: written
      .filter(({ operator }) => operator === true)
      .map(({ name, ...value }) => ({ component: 'operator_policy', name, value })),
  }
}

/** What an import makes of it: the role and the owner of each queue, and what the proof says. */
function imported(shape: Shape) {
  const { topology } = recogniseTopology(readDefinitions(definitionsOf(shape)))
  expect(validateTopology(topology)).toEqual([])
  const compiled = compileTopology(topology, { brokerVersion: '3.13.7' })
  const proof = proveTopology(compiled)
  return {
    topology,
    roles: Object.fromEntries(
      compiled.queues.map(({ name, role, owner }) => [name, role === 'work' ? role : `${role} of ${owner}`]),
    ),
    findings: proof.findings.map(({ property, code, queue }) => `${queue}: ${property}/${code}`),
    proof,
  }
}

const dlx = (exchange: string, key?: string): Args => ({
  'x-dead-letter-exchange': exchange,
  ...(key === undefined ? {} : { 'x-dead-letter-routing-key': key }),
})
const services = ['billing', 'shipping', 'stock']

/** X → events.retry → X.retry → X, and X.dead, to which the services publish what they give up on. */
const ordinary: Shape = {
  exchanges: { events: 'topic', 'events.retry': 'direct', 'events.dead': 'direct' },
  queues: {
    ...Object.fromEntries(
      services.flatMap((name) => [
        [name, { 'x-queue-type': 'quorum', ...dlx('events.retry', name) }],
        [`${name}.retry`, { 'x-queue-type': 'quorum', 'x-message-ttl': 5_000, ...dlx('', name) }],
        [`${name}.dead`, { 'x-queue-type': 'quorum' }],
      ]),
    ),
    audit: { 'x-queue-type': 'quorum', ...dlx('events.dead', 'audit') },
    'audit.dead': { 'x-queue-type': 'quorum' },
  },
  bindings: [
    ...services.flatMap((name) => [
      `events -> ${name}, ${name}.#`,
      `events.retry -> ${name}.retry, ${name}`,
      `events.dead -> ${name}.dead, ${name}`,
    ]),
    'events -> audit, #',
    'events.dead -> audit.dead, audit',
  ],
}

describe('an ordinary topology of another hand', () => {
  it('is understood: what waits, what is dead, and whose it is', () => {
    const { roles } = imported(ordinary)

    expect(roles).toEqual({
      ...Object.fromEntries(
        services.flatMap((name) => [
          [name, 'work'],
          [`${name}.retry`, `wait of ${name}`],
          [`${name}.dead`, `dead-letter of ${name}`],
        ]),
      ),
      audit: 'work',
      'audit.dead': 'dead-letter of audit',
    })
  })

  it('has the findings that somebody can act on, and no others', () => {
    const { findings, proof } = imported(ordinary)

    expect(findings.sort()).toEqual(
      [
        'audit: no-silent-loss/at-most-once-hop',
        ...services.flatMap((name) => [
          `${name}: no-silent-loss/at-most-once-hop`,
          `${name}.retry: no-silent-loss/at-most-once-hop`,
        ]),
      ].sort(),
    )
    expect(proof.assumptions.map(({ name, queues }) => [name, queues.length])).toEqual([
      ['no-expiration', 3],
      ['consumers-count', 3],
      ['not-consumed', 7],
    ])
  })

  it('is proved once its hops wait for their targets, by a policy and without touching a queue', () => {
    const { findings, proof } = imported({
      ...ordinary,
      policies: [
        {
          pattern: '.*',
          definition: { 'dead-letter-strategy': 'at-least-once', overflow: 'reject-publish' },
        },
      ],
    })

    expect(findings).toEqual([])
    expect(proof.losesAt).toEqual({ stop: [], crash: [] })
  })
})

describe('queues are known by what they do', () => {
  it.each<[string, Shape, Record<string, string>]>([
    [
      'under names that say nothing',
      {
        exchanges: { in: 'fanout', a1: 'direct', a2: 'fanout' },
        queues: { q1: dlx('a1', 'x'), q2: { 'x-message-ttl': 9, ...dlx('', 'q1') }, q3: dlx('a2'), q4: {} },
        bindings: ['in -> q1', 'in -> q3', 'a1 -> q2, x', 'a2 -> q4'],
      },
      { q1: 'work', q2: 'wait of q1', q3: 'work', q4: 'dead-letter of q3' },
    ],
    [
      'by policies alone',
      {
        exchanges: { in: 'fanout', dead: 'fanout' },
        queues: { work: {}, later: {}, coffin: {} },
        bindings: ['in -> work', 'dead -> coffin'],
        policies: [
          { pattern: '^work$', definition: { 'dead-letter-exchange': 'dead' } },
          {
            pattern: '^later$',
            definition: {
              'dead-letter-exchange': '',
              'dead-letter-routing-key': 'work',
              'message-ttl': 60_000,
            },
          },
        ],
      },
      { work: 'work', later: 'wait of work', coffin: 'dead-letter of work' },
    ],
    [
      'a work queue whose messages grow too old does not wait',
      {
        exchanges: { in: 'fanout' },
        queues: { orders: { 'x-message-ttl': 3_600_000, ...dlx('', 'orders.dlq') }, 'orders.dlq': {} },
        bindings: ['in -> orders'],
      },
      { orders: 'work', 'orders.dlq': 'dead-letter of orders' },
    ],
    [
      'a dead-letter queue that several share is nobody’s',
      {
        exchanges: { in: 'fanout', dlx: 'fanout' },
        queues: { a: dlx('dlx'), b: dlx('dlx'), dead: {} },
        bindings: ['in -> a', 'in -> b', 'dlx -> dead'],
      },
      { a: 'work', b: 'work', dead: 'dead-letter of dead' },
    ],
    [
      'what dead letters reach and deliveries reach too is worked on',
      {
        exchanges: { in: 'fanout', dlx: 'fanout' },
        queues: { a: dlx('dlx'), repair: {} },
        bindings: ['in -> a', 'in -> repair', 'dlx -> repair'],
      },
      { a: 'work', repair: 'work' },
    ],
    [
      'rascal: delays and dead letters through exchanges',
      {
        exchanges: { service: 'topic', delay: 'topic', retry: 'topic', dead_letters: 'topic' },
        queues: {
          'service:user:save': dlx('dead_letters', 'service.dead_letter'),
          'delay:1m': { 'x-message-ttl': 60_000, ...dlx('retry') },
          'dead_letters:service': {},
        },
        bindings: [
          'service -> service:user:save, service.user.save',
          'delay -> delay:1m, delay.1m',
          'retry -> service:user:save, service.user.save.#',
          'dead_letters -> dead_letters:service, service.dead_letter',
        ],
      },
      {
        'service:user:save': 'work',
        'delay:1m': 'wait of service:user:save',
        'dead_letters:service': 'dead-letter of service:user:save',
      },
    ],
    [
      'Spring: a retry loop and a parking lot',
      {
        exchanges: { orders: 'topic', DLX: 'direct' },
        queues: {
          'orders.billing': dlx('DLX', 'orders.billing'),
          'orders.billing.dlq': { 'x-message-ttl': 10_000, ...dlx('', 'orders.billing') },
          'orders.billing.parkingLot': {},
        },
        bindings: ['orders -> orders.billing, #', 'DLX -> orders.billing.dlq, orders.billing'],
      },
      {
        'orders.billing': 'work',
        'orders.billing.dlq': 'wait of orders.billing',
        'orders.billing.parkingLot': 'dead-letter of orders.billing',
      },
    ],
    [
      'MassTransit: _error and _skipped behind exchanges of their own',
      {
        exchanges: {
          'Contracts:SubmitOrder': 'fanout',
          'submit-order': 'fanout',
          'submit-order_error': 'fanout',
          'submit-order_skipped': 'fanout',
        },
        queues: { 'submit-order': {}, 'submit-order_error': {}, 'submit-order_skipped': {} },
        bindings: [
          'submit-order -> submit-order',
          'submit-order_error -> submit-order_error',
          'submit-order_skipped -> submit-order_skipped',
        ],
      },
      {
        'submit-order': 'work',
        'submit-order_error': 'dead-letter of submit-order',
        'submit-order_skipped': 'dead-letter of submit-order',
      },
    ],
    [
      'golevelup: a dead-letter exchange by hand',
      {
        exchanges: { exchange1: 'topic', 'exchange1.dlx': 'topic' },
        queues: { 'subscribe-queue': dlx('exchange1.dlx', 'failed'), 'failed-queue': {} },
        bindings: ['exchange1 -> subscribe-queue, orders.*', 'exchange1.dlx -> failed-queue, failed'],
      },
      { 'subscribe-queue': 'work', 'failed-queue': 'dead-letter of subscribe-queue' },
    ],
    [
      'Celery: a chain of delays that ends in the queue',
      {
        exchanges: {
          celery: 'topic',
          celery_delayed_delivery: 'topic',
          celery_delayed_0: 'topic',
          celery_delayed_1: 'topic',
        },
        queues: {
          celery: { 'x-queue-type': 'quorum' },
          celery_delayed_0: {
            'x-queue-type': 'quorum',
            'x-message-ttl': 1_000,
            ...dlx('celery_delayed_delivery'),
          },
          celery_delayed_1: {
            'x-queue-type': 'quorum',
            'x-message-ttl': 2_000,
            ...dlx('celery_delayed_0'),
          },
        },
        bindings: [
          'celery -> celery, celery',
          'celery_delayed_1 -> celery_delayed_1, 1.#',
          'celery_delayed_0 -> celery_delayed_0, *.1.#',
          'celery_delayed_delivery -> celery, #.celery',
        ],
      },
      { celery: 'work', celery_delayed_0: 'wait of celery', celery_delayed_1: 'wait of celery' },
    ],
  ])('%s', (_title, shape, roles) => {
    expect(imported(shape).roles).toEqual(roles)
  })

  it.each<[string, Shape]>([
    [
      'a queue that waits',
      {
        queues: { jobs: dlx('', 'jobs.wait'), 'jobs.wait': { 'x-message-ttl': 5, ...dlx('', 'jobs') } },
      },
    ],
  ])('%s is never told that it has nowhere to go', (_title, shape) => {
    const { findings } = imported(shape)

    expect(findings).toContain('jobs: second-failure/no-dead-letter-queue')
    expect(findings).not.toContain('jobs.wait: second-failure/no-dead-letter-queue')
  })
})

describe('a role', () => {
  const queues = {
    orders: { deadLetter: false, arguments: dlx('', 'repairs') },
    repairs: { deadLetter: false },
  } as const
  const rolesOf = (topology: Parameters<typeof compileTopology>[0]) =>
    compileTopology(topology, { brokerVersion: '4.0' }).queues.map(({ name, role }) => [name, role])

  it('that the config names is the role', () => {
    expect(rolesOf({ queues })).toEqual([
      ['orders', 'work'],
      ['repairs', 'dead-letter'],
    ])
    expect(rolesOf({ queues: { ...queues, repairs: { ...queues.repairs, role: 'work' } } })).toEqual([
      ['orders', 'work'],
      ['repairs', 'work'],
    ])
  })

  it('of a queue that is consumed is written down where its looks deceive', () => {
    const live = readDefinitions(
      definitionsOf({ queues: { orders: dlx('', 'repairs'), repairs: {} }, bindings: [] }),
    )
    const seen = live.queues.map((queue) => ({ ...queue, consumers: 1 }))

    expect(recogniseTopology({ ...live, queues: seen }).topology.queues).toMatchObject({
      repairs: { deadLetter: false, role: 'work' },
    })
  })

  it('means nothing to a queue that a layout makes, and the plan says so', () => {
    expect(validateTopology({ queues: { orders: { role: 'wait' } } })).toEqual([
      { path: 'queues.orders.role', problem: expect.stringContaining('deadLetter: false') },
    ])
  })
})
