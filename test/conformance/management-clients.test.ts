import { expect } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { testSameOnBoth } from './same-on-both.ts'

type Row = Record<string, unknown>

/** Ports differ from run to run, and each broker calls its node otherwise. */
function withoutPlaces(value: unknown): unknown {
  const text = JSON.stringify(value, (key, each: unknown) =>
    key === 'node' || /(^|_)port$/.test(key) ? typeof each : each,
  )
  return JSON.parse(text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:port'))
}

function pick(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, row[name]]))
}

testSameOnBoth(
  'consumers are listed with who they are and which of them is active',
  async ({ connect, api, vhost }) => {
    const channel = await (await connect()).createChannel()
    const queue = { 'x-queue-type': 'quorum', 'x-single-active-consumer': true }
    await channel.assertQueue('single', { arguments: queue })
    await channel.assertQueue('plain')
    await channel.prefetch(7)
    await channel.consume('single', () => undefined, { consumerTag: 'one', arguments: { 'x-any': 1 } })
    await channel.consume('single', () => undefined, { consumerTag: 'two', noAck: true })
    await channel.consume('plain', () => undefined, { consumerTag: 'three', exclusive: true })

    // RabbitMQ learns who is active with its statistics.
    const rows = await eventually(async () => {
      const { json } = await api('GET', `consumers/${vhost}`)
      const found = (json as Row[]).toSorted((a, b) =>
        String(a.consumer_tag) < String(b.consumer_tag) ? -1 : 1,
      )
      expect(found.map((row) => [row.consumer_tag, row.activity_status])).toEqual([
        ['one', 'single_active'],
        ['three', 'up'],
        ['two', 'waiting'],
      ])
      expect(found.every((row) => Object.keys(row.channel_details as Row).length > 0)).toBe(true)
      return found
    })

    return [withoutPlaces(rows), (await api('GET', 'consumers/no-such-vhost')).status]
  },
)

testSameOnBoth('a connection and its channels tell where they come from', async ({ connect, api, vhost }) => {
  await (await connect({ name: 'invoices' })).createChannel()

  const ofConnection = await eventually(async () => {
    const { json } = await api('GET', 'connections')
    const row = (json as Row[]).find((each) => each.vhost === vhost)
    expect(row).toMatchObject({ user_provided_name: 'invoices' })
    return pick(row!, [
      ...['name', 'user_provided_name', 'host', 'port', 'peer_host', 'peer_port', 'ssl', 'protocol', 'type'],
      ...['user', 'user_who_performed_action', 'auth_mechanism'],
    ])
  })
  const ofChannel = await eventually(async () => {
    const { json } = await api('GET', 'channels')
    const row = (json as Row[]).find((each) => each.vhost === vhost)
    expect(row?.connection_details).toHaveProperty('peer_host')
    return pick(row!, ['name', 'number', 'vhost', 'connection_details', 'node'])
  })

  return withoutPlaces([ofConnection, ofChannel])
})

testSameOnBoth('parameters are listed, and those of plugins refused', async ({ api, vhost }) => {
  const policy = { pattern: '^p', definition: { 'max-length': 1 }, priority: 2, 'apply-to': 'queues' }
  await api('PUT', `policies/${vhost}/mine`, policy)
  await api('PUT', `operator-policies/${vhost}/ours`, policy)
  const ofGlobal = `global-parameters/of-${vhost}`
  const calls: (readonly [string, string, object?])[] = [
    ['GET', 'parameters/policy/no-such-vhost'],
    ['GET', `parameters/policy/${vhost}`],
    ['GET', `parameters/policy/${vhost}/mine`],
    ['GET', `parameters/operator_policy/${vhost}`],
    ['GET', `parameters/shovel/${vhost}`],
    ['GET', `parameters/shovel/${vhost}/one`],
    ['PUT', `parameters/shovel/${vhost}/one`, { value: {} }],
    ['DELETE', `parameters/shovel/${vhost}/one`],
    ['PUT', ofGlobal, { value: { a: 1 } }],
    ['GET', ofGlobal],
    ['DELETE', ofGlobal],
    ['GET', ofGlobal],
  ]
  const answers = []
  for (const [method, path, body] of calls) answers.push([method, path, await api(method, path, body)])
  return answers
})
