import amqplib from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import type { ClientBroker } from '../clients/on-both-brokers.ts'
import type { OwnBroker } from './on-own-nodes.ts'

type Item = Readonly<Record<string, unknown>>
type Definitions = Readonly<Record<string, unknown>>
type Api = Pick<ClientBroker, 'managementUrl'>

const user = 'exported'

/** Definitions of a broker with all its vhosts and users go over to another, and come back, as they were. */
export function testWholeDefinitions(open: () => Promise<OwnBroker>): void {
  test('definitions of the whole broker go over to another broker and come back unchanged', async () => {
    const broker = await open()
    const other = await startEmbeddedBroker({ profile: broker.profile })
    onTestFinished(other.stop)
    const vhost = `${broker.vhost}-exported`
    await fill(broker, vhost)
    const exported = await exportFrom(broker)

    const taken = await call(other, 'POST', 'definitions', exported)
    const exportedByOther = await exportFrom(other)
    const gone = [
      await call(broker, 'DELETE', `vhosts/${vhost}`),
      await call(broker, 'DELETE', `users/${user}`),
    ]
    const takenBack = await call(broker, 'POST', 'definitions', exportedByOther)

    expect([[taken.status, taken.body], ...gone.map(({ status }) => status), takenBack.status]).toEqual([
      ...[[204, undefined], 204, 204, 204],
    ])
    expect(Object.keys(exportedByOther).sort()).toEqual(Object.keys(exported).sort())
    expect(partOf(exportedByOther, vhost)).toEqual(partOf(exported, vhost))
    expect(partOf(await exportFrom(broker), vhost)).toEqual(partOf(exported, vhost))
    const connection = await amqplib.connect(
      `amqp://${user}:secret@127.0.0.1:${other.port}/${encodeURIComponent(vhost)}`,
    )
    await connection.close()
  })

  test('an import is refused for what is wrong with it, and on 3.10 silent about bindings to nowhere', async () => {
    const broker = await open()
    const { vhost, username, profile } = broker
    const queue = { vhost, name: 'bad', durable: true, auto_delete: false, arguments: {} }
    const binding = { vhost, source: 'amq.direct', destination: 'bad', destination_type: 'queue' }
    const policy = { vhost, name: 'p', pattern: '', priority: 0, 'apply-to': 'queues' }
    const permission = { vhost, user: username, configure: '', write: '', read: '' }
    const parts: readonly (readonly [part: object, isSkippedOn310?: boolean])[] = [
      [{ queues: [{ ...queue, arguments: { 'x-message-ttl': 'soon' } }] }],
      [{ queues: [{ ...queue, arguments: { 'x-queue-type': 'no-such-type' } }] }],
      [{ queues: [{ ...queue, vhost: 'nowhere' }] }],
      [{ exchanges: [{ ...queue, type: 'no-such-type', internal: false }] }],
      [{ bindings: [{ ...binding, routing_key: '', arguments: {} }] }, true],
      [{ bindings: [{ ...binding, source: 'nowhere', routing_key: '', arguments: {} }] }, true],
      [{ policies: [{ ...policy, definition: { 'max-length': 'five' } }] }],
      [{ permissions: [{ ...permission, vhost: 'nowhere' }] }],
      [{ permissions: [{ ...permission, user: 'nobody' }] }],
      [{ parameters: [{ vhost, component: 'shovel', name: 's', value: {} }] }],
      [
        {
          parameters: [
            {
              vhost,
              component: 'operator_policy',
              name: 'o',
              value: { ...policy, definition: { 'max-length': 'x' } },
            },
          ],
        },
      ],
    ]

    for (const [part, isSkippedOn310 = false] of parts) {
      const { status } = await call(broker, 'POST', 'definitions', part)
      expect(status, JSON.stringify(part)).toBe(isSkippedOn310 && profile === '3.10' ? 204 : 400)
    }
    expect((await call(broker, 'GET', `queues/${vhost}`)).body).toEqual([])
  })
}

async function fill(broker: OwnBroker, vhost: string): Promise<void> {
  const quorum = { 'x-queue-type': 'quorum', 'x-delivery-limit': 7, 'x-dead-letter-exchange': '' }
  const calls: readonly (readonly [path: string, body: object])[] = [
    [`vhosts/${vhost}`, { description: 'goes over', tags: 'one,two' }],
    [`users/${user}`, { password: 'secret', tags: 'management,policymaker' }],
    [`permissions/${vhost}/${user}`, { configure: '^a', write: '.*', read: '' }],
    [`queues/${vhost}/work`, { durable: true, arguments: quorum }],
    [`queues/${vhost}/a%2Fb`, { durable: true, auto_delete: true, arguments: { 'x-message-ttl': 5 } }],
    [`queues/${vhost}/log`, { durable: true, arguments: { 'x-queue-type': 'stream', 'x-max-age': '1D' } }],
    [
      `exchanges/${vhost}/events`,
      { type: 'topic', durable: true, arguments: { 'alternate-exchange': 'amq.fanout' } },
    ],
    [`exchanges/${vhost}/inner`, { type: 'headers', auto_delete: true }],
    [`queues/${vhost}/passing`, { durable: false }],
    [`exchanges/${vhost}/hidden`, { type: 'fanout', internal: true }],
    [
      `policies/${vhost}/short`,
      { pattern: '^w', definition: { 'max-length': 9 }, priority: 3, 'apply-to': 'queues' },
    ],
    [
      `operator-policies/${vhost}/shorter`,
      { pattern: '.*', definition: { 'max-length': 8, expires: 900_000 }, 'apply-to': 'queues' },
    ],
  ]
  for (const [path, body] of calls) expect((await call(broker, 'PUT', path, body)).status, path).toBe(201)
  const bindings: readonly (readonly [path: string, body: object])[] = [
    ['e/events/q/work', { routing_key: 'order.*' }],
    ['e/events/e/inner', { routing_key: '#' }],
    ['e/events/q/passing', { routing_key: '#' }],
    ['e/inner/q/log', { routing_key: '', arguments: { 'x-match': 'any', kind: 'a', size: 3, is: true } }],
  ]
  for (const [path, body] of bindings) {
    expect((await call(broker, 'POST', `bindings/${vhost}/${path}`, body)).status, path).toBe(201)
  }
}

async function exportFrom(broker: Api): Promise<Definitions> {
  return (await call(broker, 'GET', 'definitions')).body as Definitions
}

/** What belongs to the vhost and its user: brokers have other things of their own, and a name. */
function partOf(
  { original_cluster_name: _, explanation: __, ...definitions }: Definitions,
  vhost: string,
): Definitions {
  const isOurs = (item: Item) => item.vhost === vhost || item.name === vhost || item.name === user
  return Object.fromEntries(
    Object.entries(definitions).map(([key, value]) => [
      key,
      Array.isArray(value) ? (value as Item[]).filter(isOurs).sort(byText) : value,
    ]),
  )
}

function byText(a: Item, b: Item): number {
  return textOf(a) < textOf(b) ? -1 : 1
}

function textOf(item: Item): string {
  return JSON.stringify(Object.entries(item).sort())
}

async function call(
  { managementUrl }: Api,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: unknown }> {
  const { origin, username, password } = new URL(managementUrl)
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const answer = await fetch(`${origin}/api/${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
}
