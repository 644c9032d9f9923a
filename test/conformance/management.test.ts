import { describe, expect, test } from 'vitest'
import { startEmbeddedBroker } from '../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { sharedBroker } from '../support/shared-broker.ts'
import { createVhost, type TestVhost } from '../support/use-broker.ts'
import { profileOf } from './profile-of.ts'

type Call = readonly [method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: object]

/**
 * Of all that an answer says, what Warren and other clients look at. Statistics, nodes and times are not among it, nor
 * is the policy of a queue: RabbitMQ tells it with the statistics, seconds later.
 */
const compared = [
  ...['name', 'vhost', 'type', 'durable', 'auto_delete', 'exclusive', 'internal', 'arguments'],
  ...['pattern', 'definition', 'priority', 'apply-to', 'source', 'destination'],
  ...['destination_type', 'routing_key', 'properties_key', 'payload', 'payload_bytes', 'payload_encoding'],
  ...['properties', 'redelivered', 'exchange', 'message_count', 'routed', 'error', 'reason', 'status'],
  ...['description', 'tags', 'default_queue_type', 'metadata', 'limits', 'component', 'value', 'tracing'],
  ...['queues', 'exchanges', 'bindings', 'policies', 'parameters', 'user', 'configure', 'write', 'read'],
  ...['page', 'page_count', 'page_size', 'total_count', 'filtered_count', 'item_count', 'items'],
]

const profile = profileOf(sharedBroker().version)

async function compare(calls: (vhost: string) => readonly Call[]): Promise<void> {
  const vhost = await createVhost()
  const embedded = await startEmbeddedBroker({ profile: profile!, vhosts: [vhost.vhost] })
  try {
    const onEmbedded = await follow(calls(vhost.vhost), {
      managementUrl: embedded.managementUrl.replace('guest:guest@', ''),
      username: 'guest',
      password: 'guest',
    })
    const onRabbit = await follow(calls(vhost.vhost), vhost)
    expect(onEmbedded).toEqual(onRabbit)
  } finally {
    await embedded.stop()
    await vhost.drop()
  }
}

async function follow(
  calls: readonly Call[],
  { managementUrl, username, password }: Pick<TestVhost, 'managementUrl' | 'username' | 'password'>,
): Promise<readonly unknown[]> {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const answers: unknown[] = []
  for (const [method, path, body] of calls) {
    const answer = await fetch(`${managementUrl}/api/${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.text()
    const json = text === '' ? undefined : normalise(JSON.parse(text))
    const location = answer.headers.get('location')?.replace(/^.*\/api\//, '')
    answers.push({ call: `${method} ${path}`, status: answer.status, location, json })
  }
  return answers
}

/** Lists have no order that a client may rely on, and each broker calls its administrator otherwise. */
function normalise(json: unknown): unknown {
  if (Array.isArray(json)) {
    return json.map(normalise).sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
  }
  if (typeof json !== 'object' || json === null) return json
  const entries = Object.entries(json)
    .filter(([key, value]) => compared.includes(key) && key !== 'user' && value !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(
    entries.map(([key, value]) => [key, isFree(key) ? value : normalise(value)] as const),
  )
}

function sortKey(item: unknown): string {
  const { name, source, destination, routing_key: key, payload } = (item ?? {}) as Record<string, unknown>
  return JSON.stringify([name, source, destination, key, payload])
}

/** What is inside these is the client's own. */
function isFree(key: string): boolean {
  return ['arguments', 'definition', 'properties', 'value', 'metadata', 'limits'].includes(key)
}

const quorum = { durable: true, arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': 5 } }
const classic = { durable: true, auto_delete: false, arguments: { 'x-message-ttl': 60_000 } }

describe.skipIf(!profile)('the HTTP API answers as that of RabbitMQ does', () => {
  test('queues are made, found, listed, refused and deleted', () =>
    compare((v) => [
      ['PUT', `queues/${v}/work`, quorum],
      ['PUT', `queues/${v}/work`, quorum],
      ['PUT', `queues/${v}/work`, { durable: true, arguments: { 'x-queue-type': 'classic' } }],
      ['PUT', `queues/${v}/wait%2Fone`, classic],
      ['PUT', `queues/${v}/wait%2Fone`, { ...classic, arguments: { 'x-message-ttl': 1 } }],
      ['PUT', `queues/${v}/bad`, { durable: true, arguments: { 'x-message-ttl': 'soon' } }],
      ['GET', `queues/${v}/work`],
      ['GET', `queues/${v}/wait%2Fone`],
      ['GET', `queues/${v}/nowhere`],
      ['GET', `queues/${v}`],
      ['GET', `queues/${v}?page=1&page_size=1&name=&use_regex=false`],
      ['GET', `queues/${v}?page=1&page_size=10&name=wor&use_regex=false&pagination=true`],
      ['DELETE', `queues/${v}/work/contents`],
      ['DELETE', `queues/${v}/work?if-empty=true&if-unused=true`],
      ['DELETE', `queues/${v}/work`],
      ['GET', `queues/no-such-vhost/work`],
    ]))

  test('exchanges and bindings are made, found, listed, refused and deleted', () =>
    compare((v) => [
      ['PUT', `exchanges/${v}/events`, { type: 'topic', durable: true }],
      ['PUT', `exchanges/${v}/events`, { type: 'topic', durable: true }],
      ['PUT', `exchanges/${v}/events`, { type: 'fanout', durable: true }],
      [
        'PUT',
        `exchanges/${v}/inner`,
        { type: 'headers', internal: true, arguments: { 'alternate-exchange': 'events' } },
      ],
      ['PUT', `exchanges/${v}/amq.mine`, { type: 'topic' }],
      ['PUT', `exchanges/${v}/odd`, { type: 'no-such-type' }],
      ['PUT', `queues/${v}/work`, classic],
      ['POST', `bindings/${v}/e/events/q/work`, { routing_key: 'order.*', arguments: {} }],
      ['POST', `bindings/${v}/e/events/q/work`, { routing_key: '', arguments: {} }],
      [
        'POST',
        `bindings/${v}/e/inner/q/work`,
        { routing_key: 'k', arguments: { 'x-match': 'all', kind: 'a' } },
      ],
      [
        'POST',
        `bindings/${v}/e/inner/q/work`,
        { routing_key: '', arguments: { number: -3, large: 2 ** 40, share: 0.5, list: [1, { deep: '' }] } },
      ],
      ['POST', `bindings/${v}/e/events/e/inner`, { routing_key: '#' }],
      ['POST', `bindings/${v}/e/nowhere/q/work`, { routing_key: 'a' }],
      ['GET', `bindings/${v}`],
      ['GET', `queues/${v}/work/bindings`],
      ['GET', `exchanges/${v}/events/bindings/source`],
      ['GET', `exchanges/${v}/inner/bindings/destination`],
      ['GET', `bindings/${v}/e/events/q/work`],
      ['GET', `bindings/${v}/e/events/q/work/order.%2A`],
      ['DELETE', `bindings/${v}/e/events/q/work/order.%2A`],
      ['DELETE', `bindings/${v}/e/events/q/work/order.%2A`],
      ['GET', `bindings/${v}/e/inner/q/work/k~edljqQ`],
      ['DELETE', `bindings/${v}/e/inner/q/work/k~edljqQ`],
      ['GET', `bindings/${v}/e/inner/q/work`],
      ['GET', `exchanges/${v}/events`],
      ['GET', `exchanges/${v}/inner`],
      ['GET', `exchanges/${v}`],
      ['DELETE', `exchanges/${v}/events?if-unused=true`],
      ['DELETE', `exchanges/${v}/events`],
      ['DELETE', `exchanges/${v}/events`],
    ]))

  test('messages are published and fetched with all their properties', () =>
    compare((v) => [
      ['PUT', `queues/${v}/work`, { durable: true }],
      ['PUT', `queues/${v}/quorum`, quorum],
      ['POST', `exchanges/${v}/amq.default/publish`, message('work', 'plain')],
      [
        'POST',
        `exchanges/${v}/amq.default/publish`,
        { ...message('work', Buffer.from([1, 200]).toString('base64')), payload_encoding: 'base64' },
      ],
      [
        'POST',
        `exchanges/${v}/amq.default/publish`,
        {
          ...message('work', 'full'),
          properties: {
            delivery_mode: 2,
            content_type: 'text/plain',
            message_id: 'm1',
            priority: 3,
            headers: { text: 'a', number: 1, yes: true, list: [1, 'b'], nested: { deep: 'c' } },
          },
        },
      ],
      ['POST', `exchanges/${v}/amq.default/publish`, message('nowhere', 'lost')],
      ['POST', `exchanges/${v}/no-such/publish`, message('work', 'lost')],
      ['POST', `queues/${v}/work/get`, fetching('ack_requeue_true')],
      ['POST', `queues/${v}/work/get`, fetching('reject_requeue_true')],
      ['POST', `queues/${v}/work/get`, { ...fetching('ack_requeue_true'), encoding: 'base64', truncate: 2 }],
      ['POST', `queues/${v}/work/get`, fetching('ack_requeue_false')],
      ['POST', `queues/${v}/work/get`, fetching('ack_requeue_false')],
      ['POST', `queues/${v}/nowhere/get`, fetching('ack_requeue_false')],
      ['POST', `exchanges/${v}/amq.default/publish`, message('quorum', 'counted')],
      ['POST', `queues/${v}/quorum/get`, fetching('ack_requeue_true')],
      ['POST', `queues/${v}/quorum/get`, fetching('reject_requeue_true')],
      ['POST', `queues/${v}/quorum/get`, fetching('ack_requeue_false')],
      ['POST', `queues/${v}/work/get`, { count: 1 }],
    ]))

  test('policies are set, found, applied, refused and cleared', () =>
    compare((v) => [
      ['PUT', `queues/${v}/work`, { durable: true }],
      [
        'PUT',
        `policies/${v}/short`,
        { pattern: '^w', definition: { 'max-length': 5 }, priority: 1, 'apply-to': 'queues' },
      ],
      [
        'PUT',
        `policies/${v}/short`,
        { pattern: '^w', definition: { 'max-length': 4 }, priority: 1, 'apply-to': 'queues' },
      ],
      ['PUT', `policies/${v}/bad`, { pattern: '^w', definition: { 'max-length': 'five' } }],
      ['PUT', `policies/${v}/empty`, { pattern: '^w', definition: {} }],
      [
        'PUT',
        `operator-policies/${v}/op`,
        { pattern: '^w', definition: { 'max-length': 3 }, priority: 0, 'apply-to': 'queues' },
      ],
      ['PUT', `operator-policies/${v}/bad`, { pattern: '^w', definition: { 'dead-letter-exchange': 'x' } }],
      ['GET', `policies/${v}`],
      ['GET', `policies/${v}/short`],
      ['GET', `operator-policies/${v}`],
      ['GET', `policies/${v}/nowhere`],
      ['DELETE', `policies/${v}/short`],
      ['DELETE', `policies/${v}/short`],
      ['DELETE', `operator-policies/${v}/op`],
      ['GET', `policies/${v}`],
    ]))

  test('definitions of a vhost are imported and exported', () => {
    const definitions = {
      queues: [
        { name: 'work', ...quorum, auto_delete: false },
        { name: 'wait', ...classic },
      ],
      exchanges: [
        { name: 'events', type: 'topic', durable: true, auto_delete: false, internal: false, arguments: {} },
      ],
      bindings: [
        {
          source: 'events',
          destination: 'work',
          destination_type: 'queue',
          routing_key: 'a.#',
          arguments: {},
        },
      ],
      policies: [
        { name: 'p', pattern: '^w', definition: { 'max-length': 9 }, priority: 2, 'apply-to': 'queues' },
      ],
    }
    return compare((v) => [
      ['POST', `definitions/${v}`, definitions],
      ['POST', `definitions/${v}`, { queues: [{ name: 'wait', durable: true, arguments: {} }] }],
      ['GET', `definitions/${v}`],
      ['GET', `queues/${v}`],
      ['POST', `definitions/no-such-vhost`, definitions],
      ['PUT', `operator-policies/${v}/op`, { pattern: '^w', definition: { 'max-length': 3 } }],
      ['GET', `definitions/${v}`],
    ])
  })

  test('vhosts, permissions, users and health are told', () =>
    compare((v) => [
      ['GET', `vhosts/${v}`],
      ['GET', 'vhosts/%2F'],
      ['PUT', `vhosts/${v}`, { description: 'ours', tags: 'one,two' }],
      ['GET', `vhosts/${v}`],
      ['GET', 'vhosts/no-such-vhost'],
      ['GET', `aliveness-test/${v}`],
      ['GET', 'health/checks/alarms'],
      ['PUT', 'users/warren-compared', { password: 'secret', tags: 'management' }],
      ['PUT', `permissions/${v}/warren-compared`, { configure: '^a', write: '', read: '.*' }],
      ['GET', `permissions/${v}/warren-compared`],
      ['GET', 'users/warren-compared/permissions'],
      ['DELETE', `permissions/${v}/warren-compared`],
      ['DELETE', 'users/warren-compared'],
      ['GET', 'users/warren-compared'],
    ]))
})

function message(routingKey: string, payload: string): object {
  return { routing_key: routingKey, payload, payload_encoding: 'string', properties: {} }
}

function fetching(ackmode: string): object {
  return { count: 5, ackmode, encoding: 'auto' }
}
