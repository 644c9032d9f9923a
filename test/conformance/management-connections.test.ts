import amqplib from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type ClientBroker, describeOnBothBrokers } from './clients/on-both-brokers.ts'

type Row = Readonly<Record<string, unknown>>

/** The parts of the HTTP API that tell of the broker and its clients, in the fields that do not change by themselves. */
describeOnBothBrokers('the HTTP API', (open) => {
  test('tells what the broker is and who asks', async () => {
    const broker = await open()

    const overview = await ask<Row>(broker, 'GET', 'overview')
    const whoAmI = await ask<Row>(broker, 'GET', 'whoami')
    const nodes = await ask<readonly Row[]>(broker, 'GET', 'nodes')

    expect(overview.body).toMatchObject({
      product_name: 'RabbitMQ',
      rabbitmq_version: overview.body.management_version,
      object_totals: { connections: expect.any(Number), queues: expect.any(Number) },
      exchange_types: expect.arrayContaining(
        ['direct', 'fanout', 'headers', 'topic'].map((name) =>
          expect.objectContaining({ name, enabled: true }),
        ),
      ),
      listeners: expect.arrayContaining([expect.objectContaining({ protocol: 'amqp', port: broker.port })]),
    })
    expect(whoAmI.body).toMatchObject({ name: broker.username, tags: ['administrator'] })
    expect(nodes.body).toEqual([
      expect.objectContaining({ name: overview.body.node, running: true, type: 'disc' }),
    ])
    expect((await ask(broker, 'GET', `aliveness-test/${broker.vhost}`)).body).toEqual({ status: 'ok' })
    expect((await ask<Row>(broker, 'GET', 'cluster-name')).body).toEqual({ name: overview.body.cluster_name })
  })

  test('lists a connection and its channel, shows it, and closes it with a reason', async () => {
    const broker = await open()
    const connection = await amqplib.connect(broker.url, {
      clientProperties: { connection_name: 'seen by all' },
    })
    const closed = new Promise<Error>((resolve) => connection.once('close', resolve))
    onTestFinished(() => connection.close().catch(() => undefined))
    const channel = await connection.createConfirmChannel()
    channel.on('error', () => undefined)
    await channel.prefetch(7)

    const listed = await eventually(async () => {
      const { body } = await ask<readonly Row[]>(broker, 'GET', `vhosts/${broker.vhost}/connections`)
      // A broker tells its statistics some seconds later.
      return body[0]?.state === 'running' && body[0].channels === 1 ? body : false
    })
    const name = String(listed[0]?.name)
    const shown = await ask<Row>(broker, 'GET', `connections/${encodeURIComponent(name)}`)
    const channels = await eventually(async () => {
      const { body } = await ask<readonly Row[]>(broker, 'GET', 'channels')
      const own = body.filter(({ vhost }) => vhost === broker.vhost)
      return own[0]?.prefetch_count !== undefined && own[0].confirm === true ? own : false
    })
    const closing = await ask(broker, 'DELETE', `connections/${encodeURIComponent(name)}`, 'enough')
    const again = await ask(broker, 'DELETE', 'connections/no-such-connection')

    const expected = {
      name,
      user: broker.username,
      vhost: broker.vhost,
      protocol: 'AMQP 0-9-1',
      type: 'network',
      auth_mechanism: 'PLAIN',
      channel_max: 2047,
      frame_max: 131_072,
      state: 'running',
      client_properties: expect.objectContaining({ connection_name: 'seen by all' }),
    }
    expect(listed).toEqual([expect.objectContaining(expected)])
    expect(shown).toMatchObject({ status: 200, body: expected })
    expect(channels).toEqual([
      expect.objectContaining({
        name: `${name} (1)`,
        number: 1,
        user: broker.username,
        confirm: true,
        transactional: false,
        consumer_count: 0,
        messages_unacknowledged: 0,
      }),
    ])
    expect([closing.status, again.status]).toEqual([204, 404])
    expect(String(await closed)).toContain(
      '320 (CONNECTION-FORCED) with message "CONNECTION_FORCED - enough"',
    )
  })

  test('refuses who it does not know, and who may not look', async () => {
    const broker = await open()

    const wrong = await ask(
      { ...broker, managementUrl: broker.managementUrl.replace(broker.password, 'wrong') },
      'GET',
      'whoami',
    )
    const nothing = await fetch(`${new URL(broker.managementUrl).origin}/api/whoami`)

    expect([wrong.status, nothing.status]).toEqual([401, 401])
    expect(nothing.headers.get('www-authenticate')).toContain('Basic realm="RabbitMQ Management"')
  })
})

async function ask<Body = unknown>(
  { managementUrl }: Pick<ClientBroker, 'managementUrl'>,
  method: string,
  path: string,
  reason?: string,
): Promise<{ status: number; body: Body }> {
  const { origin, username, password } = new URL(managementUrl)
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const answer = await fetch(`${origin}/api/${path}`, {
    method,
    headers: { authorization, ...(reason && { 'x-reason': reason }) },
  })
  const text = await answer.text()
  return { status: answer.status, body: (text === '' ? undefined : JSON.parse(text)) as Body }
}
