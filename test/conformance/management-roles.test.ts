import amqplib, { type ChannelModel } from 'amqplib'
import { describe, expect, test } from 'vitest'
import { startEmbeddedBroker } from '../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { eventually } from '../support/eventually.ts'
import { sharedBroker } from '../support/shared-broker.ts'
import { createVhost } from '../support/use-broker.ts'
import { profileOf } from './profile-of.ts'

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE'
type Call = readonly [method: Method, path: string, body?: object]
type Ask = (user: string, call: Call) => Promise<{ status: number; json: unknown }>

const profile = profileOf(sharedBroker().version)
const tags = ['', 'management', 'policymaker', 'monitoring', 'administrator']
const everything = { configure: '.*', write: '.*', read: '.*' }
const policy = { pattern: '^none$', definition: { 'max-length': 9 } }
const fetching = { count: 1, ackmode: 'ack_requeue_true', encoding: 'auto' }
const message = { routing_key: 'theirs', payload: 'a', payload_encoding: 'string', properties: {} }

/** What a user sees of lists that show more to others: which of its rows are of the vhost that is asked about. */
const listings = ['vhosts', 'queues', 'exchanges', 'bindings', 'policies', 'connections', 'channels']

const calls = (v: string): readonly Call[] => [
  ...['whoami', 'overview', 'nodes', 'cluster-name', 'feature-flags', 'health/checks/alarms'].map(get),
  ...[...listings, 'users', 'permissions', 'operator-policies'].map(get),
  ...[`aliveness-test/${v}`, `vhosts/${v}`, `vhosts/${v}/permissions`, `vhosts/${v}/connections`].map(get),
  ...[`queues/${v}`, `queues/${v}/theirs`, `queues/${v}/nowhere`, `queues/${v}/theirs/bindings`].map(get),
  ...[`exchanges/${v}`, `exchanges/${v}/amq.topic`, `bindings/${v}`, 'queues/no-such-vhost'].map(get),
  ...[`policies/${v}`, `policies/${v}/kept`, `operator-policies/${v}`, `definitions/${v}`].map(get),
  ...[`users/${v}-management`, `users/${v}-management/permissions`, 'users/no-such-user'].map(get),
  ...[`permissions/${v}/no-such-user`, `operator-policies/${v}/nowhere`].map(get),
  ['PUT', `queues/${v}/mine`, { durable: true }],
  ['DELETE', `queues/${v}/mine`],
  ['PUT', `queues/${v}/theirs`, { durable: true }],
  ['POST', `queues/${v}/theirs/get`, fetching],
  ['POST', `exchanges/${v}/amq.default/publish`, message],
  ['DELETE', `queues/${v}/theirs/contents`],
  ['PUT', `policies/${v}/new`, policy],
  ['DELETE', `policies/${v}/new`],
  ['PUT', `operator-policies/${v}/new`, policy],
  ['DELETE', `operator-policies/${v}/new`],
  ['PUT', `users/${v}-made`, { password: 'p', tags: '' }],
  ['PUT', `permissions/${v}/${v}-made`, everything],
  ['DELETE', `users/${v}-made`],
  ['PUT', `vhosts/${v}-made`, {}],
  ['DELETE', `vhosts/${v}-made`],
  ['POST', `definitions/${v}`, { queues: [] }],
]

function get(path: string): Call {
  return ['GET', path]
}

/** One line for each call, with the answers to all users in their order. */
async function askAll({ ask, admin, v }: Side, permission: object | undefined): Promise<object> {
  const users = tags.map((tag) => `${v}-${tag}`)
  try {
    await ask(admin, ['PUT', `queues/${v}/theirs`, { durable: true }])
    await ask(admin, ['PUT', `policies/${v}/kept`, policy])
    for (const [at, user] of users.entries()) {
      await ask(admin, ['PUT', `users/${user}`, { password: 'p', tags: tags[at] }])
      if (permission) await ask(admin, ['PUT', `permissions/${v}/${user}`, permission])
    }
    const table: Record<string, readonly string[]> = {}
    for (const call of calls(v)) {
      const row: string[] = []
      for (const user of users) row.push(describeAnswer(call, v, await ask(user, call)))
      table[`${call[0]} ${call[1]}`.replaceAll(v, 'V')] = row.map((text) => text.replaceAll(v, 'V'))
    }
    return table
  } finally {
    for (const user of users) await ask(admin, ['DELETE', `users/${user}`])
  }
}

function describeAnswer(
  [, path]: Call,
  v: string,
  { status, json }: { status: number; json: unknown },
): string {
  if (listings.includes(path) && Array.isArray(json)) {
    const rows = json as readonly Record<string, unknown>[]
    const own = rows.filter((row) => (path === 'vhosts' ? row.name : row.vhost) === v)
    return `${status} sees ${own.length > 0 ? 'it' : 'nothing'}`
  }
  const { error, reason } = (json ?? {}) as { error?: unknown; reason?: unknown }
  return status < 400 ? String(status) : `${status} ${String(error)}: ${String(reason)}`
}

function asker(managementUrl: string, passwords: Readonly<Record<string, string>>): Ask {
  return async (user, [method, path, body]) => {
    const authorization = `Basic ${Buffer.from(`${user}:${passwords[user] ?? 'p'}`).toString('base64')}`
    const answer = await fetch(`${managementUrl}/api/${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.text()
    return { status: answer.status, json: text === '' ? undefined : JSON.parse(text) }
  }
}

interface Row {
  readonly name: string
  readonly user?: string
}

/** What users with each tag may do with the connections of one of them and of an administrator. */
async function askOfConnections({ ask, admin, url, v }: Side): Promise<object> {
  const users = tags.slice(1).map((tag) => `${v}-${tag}`)
  const connections: ChannelModel[] = []
  try {
    for (const [at, user] of users.entries()) {
      await ask(admin, ['PUT', `users/${user}`, { password: 'p', tags: tags[at + 1] }])
      await ask(admin, ['PUT', `permissions/${v}/${user}`, everything])
    }
    const ofUser = Object.assign(new URL(url), { username: users[0], password: 'p' }).href
    for (const each of [url, ofUser]) connections.push(await amqplib.connect(each))
    for (const connection of connections) connection.on('error', () => undefined)
    const rows = await eventually(async () => {
      const { json } = await ask(admin, get(`vhosts/${v}/connections`))
      const found = json as readonly Row[]
      // A broker tells its statistics some seconds later.
      return found.length === 2 && found.every(({ user }) => user !== undefined) ? found : false
    })
    const path = `connections/${encodeURIComponent(rows.find(({ user }) => user === admin)!.name)}`
    const table: Record<string, object> = {}
    for (const user of users) {
      const ofVhost = (await ask(user, get(`vhosts/${v}/connections`))).json as readonly Row[]
      const all = (await ask(user, get('connections'))).json as readonly Row[]
      table[user.replace(v, 'V')] = {
        ofVhost: ofVhost.length,
        all: all.filter(({ name }) => rows.some((row) => row.name === name)).length,
        show: describeAnswer(get(path), v, await ask(user, get(path))),
        close: describeAnswer(get(path), v, await ask(user, ['DELETE', path])),
      }
    }
    return table
  } finally {
    for (const connection of connections) await connection.close().catch(() => undefined)
    for (const user of users) await ask(admin, ['DELETE', `users/${user}`])
  }
}

/** One of the two brokers that are compared. */
interface Side {
  readonly ask: Ask
  readonly admin: string
  readonly url: string
  readonly v: string
}

async function compare(look: (side: Side) => Promise<object>): Promise<void> {
  const { vhost: v, url, username, password, managementUrl, drop } = await createVhost()
  const embedded = await startEmbeddedBroker({ profile: profile!, vhosts: [v] })
  try {
    const ours = asker(`http://127.0.0.1:${embedded.managementPort}`, { guest: 'guest' })
    const theirs = asker(managementUrl, { [username]: password })

    const onEmbedded = await look({ ask: ours, admin: 'guest', url: `${embedded.url}/${v}`, v })
    const onRabbit = await look({ ask: theirs, admin: username, url, v })

    expect(onEmbedded).toEqual(onRabbit)
  } finally {
    await embedded.stop()
    await drop()
  }
}

describe.skipIf(!profile)('who may ask what of the HTTP API is as with RabbitMQ', { timeout: 30_000 }, () => {
  const few = { configure: '^mine', write: '^mine', read: '^mine' }

  test('for users with few permissions in the vhost', () => compare((side) => askAll(side, few)))

  test('for users without access to the vhost', () => compare((side) => askAll(side, undefined)))

  test('for the connections of others', () => compare(askOfConnections))
})
