import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseBrokerVersion } from '../message/broker-version.ts'
import { compileTopology } from './compile-topology.ts'
import type { TopologyDeclaration } from './declaration.ts'
import { listHardening } from './list-hardening.ts'
import { planTopology } from './plan-topology.ts'
import { proveTopology } from './prove/prove-topology.ts'
import { renderDefinitions } from './render-definitions.ts'
import { renderDot } from './render-dot.ts'
import { renderMermaid } from './render-mermaid.ts'
import { renderPlan } from './render-plan.ts'
import { renderProof } from './render-proof.ts'

const declaration: TopologyDeclaration = {
  exchanges: { events: { type: 'topic' } },
  queues: { orders: { bind: [{ exchange: 'events', key: 'order.#' }], retry: { delays: ['5s'] } } },
}
const compile = (topology: TopologyDeclaration = declaration, brokerVersion = '4.0') =>
  compileTopology(topology, { brokerVersion })

describe('a diagram', () => {
  it('in mermaid groups a queue with its wait queues and its DLQ, and marks problems', () => {
    expect(
      renderMermaid(compile(), new Set(['orders.dlq']))
        .split('\n')
        .slice(0, 18),
    ).toEqual([
      'flowchart LR',
      '  e0{{"events<br/><small>topic</small>"}}:::exchange',
      '  subgraph g0["orders"]',
      '    e1{{"orders.dlq<br/><small>fanout</small>"}}:::exchange',
      '    q0[("orders<br/><small>quorum</small>")]:::work',
      '    q1[("orders.retry.5s<br/><small>quorum, 5s</small>")]:::wait',
      '    q2[("orders.dlq<br/><small>quorum</small>")]:::problem',
      '  end',
      '  e0 -->|"order.#35;"| q0',
      '  e1 --> q2',
      '  q0 -.->|"rejected"| e1',
      '  q1 -.->|"expired"| q0',
      '  q0 ==>|"retry 5s"| q1',
      '  q0 ==>|"park"| e1',
      '  linkStyle 0 stroke:#1565c0',
      '  linkStyle 1,2,5 stroke:#455a64',
      '  linkStyle 3,4 stroke:#e65100',
      '  classDef exchange fill:#e3f2fd,stroke:#1565c0,color:#0d2b4d',
    ])
  })

  it('in dot has the same boxes and arrows', () => {
    const lines = renderDot(compile(), new Set(['orders'])).split('\n')

    expect(lines).toContain(
      '    q0 [label="orders\\nquorum", shape=cylinder, fillcolor="#e8f5e9", color="#c62828", penwidth=3]',
    )
    expect(lines).toContain('  e0 -> q0 [style=solid, color="#1565c0", label="order.#", fontcolor="#1565c0"]')
    expect(lines).toContain(
      '  q1 -> q0 [style=dashed, color="#e65100", label="expired", fontcolor="#e65100"]',
    )
    expect(lines).toContain('  q0 -> q1 [style=bold, color="#e65100", label="retry 5s", fontcolor="#e65100"]')
  })

  it('several delays or bindings between the same two boxes are one arrow', () => {
    const topology = compile({ layout: 'freeflow', queues: { 'freeflow.user': {} } })

    expect(renderMermaid(topology)).toContain('==>|"retry 30s, retry 5m, retry 30m"|')
  })

  it('names with quotes do not break out of their labels', () => {
    const topology = compile({ queues: { 'a"]; b': { deadLetter: false } } })

    expect(renderMermaid(topology)).toContain('[("a#34;#93;#59; b<br/>')
    expect(renderDot(topology)).toContain('label="a\\"]; b\\nquorum"')
  })

  it('in mermaid is made of nothing but plain lines, whatever the names', () => {
    const text = /(?:[\p{L}\p{N} ._*:,/'-]|#\d+;)*/u.source
    const label = `"${text}(?:<br/><small>${text}</small>)?"`
    const lines = [
      'flowchart LR',
      '  end',
      `  subgraph g\\d+\\[${label}\\]`,
      ` {2,4}(?:e\\d+\\{\\{${label}\\}\\}|q\\d+\\[\\(${label}\\)\\]):::\\w+`,
      `  [eq]\\d+ (?:-->|-\\.->|==>)(?:\\|${label}\\|)? [eq]\\d+`,
      '  linkStyle [\\d,]+ stroke:#[\\da-f]{6}',
      '  classDef \\w+ [\\w:#,-]+',
      '',
    ]
    const grammar = new RegExp(`^(?:${lines.join('|')})$`, 'u')
    const name = fc.oneof(
      fc.constantFrom(
        'end',
        'a"b',
        'x]y',
        '`tick`',
        '#quot;',
        '%% comment',
        'A --> B',
        'q:::work',
        '😀',
        '<b>',
      ),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
    )
    const property = fc.property(name, name, (queue, key) => {
      const topology = compile({
        exchanges: { [`x${queue}`]: { type: 'topic' } },
        queues: { [queue]: { bind: [{ exchange: `x${queue}`, key }], retry: { delays: ['5s'] } } },
      })
      for (const line of renderMermaid(topology, new Set([queue])).split('\n')) expect(line).toMatch(grammar)
    })
    fc.assert(property)
  })

  it('what comes back through an exchange that others share shows its key', () => {
    const topology = compileTopology(
      { layout: 'freeflow', queues: { 'freeflow.user': { retry: { delays: ['30s'] } } } },
      { brokerVersion: '4.0' },
    )

    expect(renderMermaid(topology)).toContain('-.->|"expired as user.retry"|')
  })

  it('what all queues share stands outside of their groups', () => {
    const topology = compile({ layout: 'freeflow', queues: { 'freeflow.user': {}, 'freeflow.auth': {} } })
    const outside = renderMermaid(topology).split('  subgraph')[0] ?? ''

    for (const name of [
      'freeflow.events<',
      'freeflow.events.retry<',
      'freeflow.events.dlx<',
      'freeflow.events.dlq<',
    ]) {
      expect(outside).toContain(name)
    }
    expect(outside).not.toContain('freeflow.user')
  })
})

describe('a diagram of what is not as it should be', () => {
  it('draws an exchange and a queue that dead letters are sent to and that do not exist, marked', () => {
    const topology = compile({
      queues: {
        a: { deadLetter: false, arguments: { 'x-dead-letter-exchange': 'ghost' } },
        b: {
          deadLetter: false,
          arguments: { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'nowhere' },
        },
        c: { deadLetter: false, arguments: { 'x-dead-letter-exchange': 'amq.fanout' } },
      },
    })
    const lines = renderMermaid(topology).split('\n')

    expect(lines).toContain('  e0{{"ghost<br/><small>missing</small>"}}:::problem')
    expect(lines).toContain('  q3[("nowhere<br/><small>missing</small>")]:::problem')
    expect(lines).toContain('  e1{{"amq.fanout<br/><small>fanout</small>"}}:::exchange')
    expect(lines).toContain('  q0 -.->|"rejected"| e0')
    expect(lines).toContain('  q1 -.->|"rejected"| q3')
  })

  it('labels the arrow of what expires as expired, by arguments and by policies', () => {
    const topology = compile({
      queues: {
        work: {
          deadLetter: false,
          arguments: { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'w' },
        },
        w: {
          deadLetter: false,
          arguments: { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'work' },
        },
        old: {
          deadLetter: false,
          arguments: { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'dead' },
        },
        dead: { deadLetter: false },
      },
      policies: [
        { name: 'wait', pattern: '^w$', definition: { 'message-ttl': 5_000 } },
        { name: 'age', pattern: '^old$', definition: { 'message-ttl': 60_000 } },
      ],
    })
    const text = renderMermaid(topology)

    expect(text).toContain('q1[("w<br/><small>quorum, 5s</small>")]:::wait')
    expect(text).toContain('q0 -.->|"rejected"| q1')
    expect(text).toContain('q1 -.->|"expired"| q0')
    expect(text).toContain('q2 -.->|"rejected, expired"| q3')
    expect(text).toContain('q3[("dead<br/><small>quorum</small>")]:::dlq')
  })
})

describe('definitions', () => {
  it('say the queue type as an argument and the vhost on every line', () => {
    const definitions = renderDefinitions(compile(), { vhost: 'shop' })

    expect(definitions.queues[1]).toEqual({
      name: 'orders.retry.5s',
      vhost: 'shop',
      durable: true,
      auto_delete: false,
      arguments: {
        'x-queue-type': 'quorum',
        'x-message-ttl': 5000,
        'x-dead-letter-exchange': '',
        'x-dead-letter-routing-key': 'orders',
        'x-dead-letter-strategy': 'at-least-once',
        'x-overflow': 'reject-publish',
      },
    })
    expect(definitions.bindings).toContainEqual({
      source: 'events',
      vhost: 'shop',
      destination: 'orders',
      destination_type: 'queue',
      routing_key: 'order.#',
      arguments: {},
    })
  })
})

describe('a plan in words', () => {
  const live = {
    exchanges: [],
    queues: [],
    bindings: [],
    policies: [],
    brokerVersion: parseBrokerVersion('4.0'),
  }

  it('lists what would be created', () => {
    expect(renderPlan(planTopology({ wanted: compile(), live }))).toBe(
      [
        '7 safe, 0 disruptive, 0 impossible in place.',
        '',
        'Safe',
        '  + exchange events (topic)',
        '  + exchange orders.dlq (fanout)',
        '  + queue orders (quorum) x-dead-letter-exchange="orders.dlq" x-dead-letter-strategy="at-least-once" x-overflow="reject-publish" x-delivery-limit=20',
        '  + queue orders.retry.5s (quorum) x-message-ttl=5000 x-dead-letter-exchange="" x-dead-letter-routing-key="orders" x-dead-letter-strategy="at-least-once" x-overflow="reject-publish"',
        '  + queue orders.dlq (quorum) x-delivery-limit=-1',
        '  + binding events -> orders, key order.#',
        '  + binding orders.dlq -> orders.dlq',
        '',
      ].join('\n'),
    )
  })

  it('says both values and the ways out of what is impossible', () => {
    const topology: TopologyDeclaration = { layout: 'ratatoskr', queues: { q: {} } }
    const exactForm = compile({ ...topology, exact: true })
    const queues = exactForm.queues.map((queue) => ({ ...queue, messages: 3 }))
    const plan = planTopology({
      wanted: compile(topology),
      live: { ...live, ...exactForm, queues },
      exactForm,
    })

    expect(renderPlan(plan).split('\n').slice(-7)).toEqual([
      '  ! queue q.dlq: x-delivery-limit is not set, the topology says -1',
      "      or leave it: it follows the layout's original design; declare it with `exact: true`",
      '      or set it by a policy, without touching the queue: {"delivery-limit":-1}',
      '      or move its 3 messages elsewhere, delete the queue, apply again, and move them back',
      '      or change the topology to what the broker has',
      '      or give the queue a new name, and let the old one run empty',
      '',
    ])
  })

  it('says so when there is nothing to do', () => {
    const wanted = compile()

    expect(renderPlan(planTopology({ wanted, live: { ...live, ...wanted } }))).toBe(
      'Nothing to do: the broker matches the topology.\n',
    )
  })
})

describe('a proof in words', () => {
  it('names each broken property with its path, and what hardening would add', () => {
    const topology: TopologyDeclaration = { layout: 'ratatoskr', exact: true, queues: { q: {} } }
    const text = renderProof(proveTopology(compile(topology)), {
      hardening: listHardening(topology, { brokerVersion: '4.0' }),
    })

    expect(text).toContain('Not proved on RabbitMQ 4.0: 4 findings.')
    expect(text).toContain('broken  Ends                                   2 hold, 1 broken')
    expect(text).toContain(
      'q: ends/cut-cycle\n  q > delivery_limit > default exchange, key q.retry > q.retry > expired > default exchange, key q > q > cut\n',
    )
    expect(text).toContain('Hardening would add\n  q: x-dead-letter-strategy="at-least-once"\n')
  })

  it('says findings that differ in their path alone once', () => {
    const topology: TopologyDeclaration = { layout: 'isolated', exact: true, queues: { q: {} } }
    const lines = renderProof(proveTopology(compile(topology))).split('\n')
    const title = lines.indexOf('no-silent-loss/at-most-once-hop, 2 times')

    expect(lines.slice(title + 1, title + 3)).toEqual([
      '  q > rejected > exchange retry.q, key retry > q.retry',
      '  q.retry > expired > default exchange, key q > q',
    ])
    expect(lines.filter((line) => line.startsWith('  The hop does not wait'))).toHaveLength(1)
  })

  it('that holds says so in one line', () => {
    expect(renderProof(proveTopology(compile())).split('\n')[0]).toBe('Proved on RabbitMQ 4.0.')
  })

  it('says what the end of a node loses, by a clean stop and by a crash', () => {
    const exact = renderProof(proveTopology(compile({ layout: 'event-bus', exact: true, queues: { s: {} } })))

    expect(renderProof(proveTopology(compile()))).toContain(
      '\nNeither a clean stop nor a crash (kill -9) of a node loses a message that is persistent and confirmed.\n',
    )
    expect(exact).toContain(
      '\nLost when a node goes down, in a clean stop and in a crash (kill -9) alike\n  messages leaving at that moment (not those waiting): default.queue.s, default.retry-queue.s\n',
    )
    expect(exact).not.toContain('loses nothing')
  })

  it("says what the broker's delivery limit does to the neighbours of a message that crashes its consumer", () => {
    expect(renderProof(proveTopology(compile()))).toMatch(
      /\nOut of Warren's hands on orders\n {2}RabbitMQ's own delivery limit of 20 counts every message that a crashing consumer had prefetched/,
    )
  })
})
