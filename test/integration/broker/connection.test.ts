import { createServer } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openConnection } from '../../../packages/warrenmq/src/broker/amqp/connection.ts'
import { declareQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { parseAmqpUrl } from '../../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { eventually } from '../../support/eventually.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'

const broker = await useBroker()
const endpoint = parseAmqpUrl(broker.url)[0]!

async function connect(options: Parameters<typeof openConnection>[1] = {}, at = endpoint) {
  const connection = await openConnection(at, options)
  onTestFinished(() => connection.close())
  return connection
}

async function throughProxy() {
  const proxy = await startProxy({ target: endpoint.port })
  onTestFinished(() => proxy.close())
  return { proxy, endpoint: parseAmqpUrl(proxy.urlFor(broker.url))[0]! }
}

describe('a connection', () => {
  it('knows the broker it speaks to and what was agreed on', async () => {
    const connection = await connect({ frameMax: 16_384, channelMax: 7, heartbeatSeconds: 11 })

    expect(connection.agreement).toMatchObject({
      product: 'RabbitMQ',
      version: broker.version,
      frameMax: 16_384,
      channelMax: 7,
      heartbeatSeconds: 11,
    })
  })

  it('is shown to operators under its name', async () => {
    await connect({ name: 'billing on host-7' })

    await eventually(async () => {
      const connections = await broker.management<{ client_properties: { connection_name: string } }[]>(
        'GET',
        '/api/connections',
      )
      const names = connections.map(({ client_properties }) => client_properties.connection_name)
      expect(names).toContain('billing on host-7')
    })
  })

  it('logs in with AMQPLAIN as well', async () => {
    const connection = await connect({ mechanism: 'AMQPLAIN' })

    expect(connection.isOpen).toBe(true)
  })

  it('opens no more channels than agreed on, and says so', async () => {
    const connection = await connect({ channelMax: 2 })
    const first = await connection.openChannel()
    await connection.openChannel()

    await expect(connection.openChannel()).rejects.toMatchObject({ code: 'CHANNEL_LIMIT_REACHED' })
    await first.close()
    await expect(connection.openChannel()).resolves.toMatchObject({ isOpen: true })
  })

  it('takes a new secret while it is open', async () => {
    const connection = await connect()

    await connection.updateSecret(broker.password, 'rotation')

    const channel = await connection.openChannel()
    await expect(declareQueue(channel, { queue: 'after-rotation' })).resolves.toMatchObject({
      messageCount: 0,
    })
  })

  it('tells everybody who waits when it is cut', async () => {
    const { proxy, endpoint: proxied } = await throughProxy()
    const connection = await openConnection(proxied)
    const channel = await connection.openChannel()
    const closed = new Promise((resolve) => connection.events.on('closed', resolve))
    proxy.swallow('to-broker')
    const waiting = declareQueue(channel, { queue: 'never' })

    proxy.cutAll()

    await expect(waiting).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
    expect(await closed).toMatchObject({ error: { code: 'CONNECTION_LOST', isFinal: false } })
    await expect(connection.openChannel()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    await connection.close()
  })

  it('notices by missing heartbeats that the other side is gone, and that it is not', async () => {
    const { proxy, endpoint: proxied } = await throughProxy()
    const living = await connect({ heartbeatSeconds: 3 }, proxied)
    const closed = new Promise((resolve) => living.events.on('closed', resolve))
    const witness = await connect({ heartbeatSeconds: 2 })

    proxy.swallow('both')

    const message = expect.stringMatching(/was silent for more than 6 s, two heartbeats\.$/)
    expect(await closed).toMatchObject({ error: { code: 'CONNECTION_HEARTBEAT_MISSED', message } })
    expect(witness.isOpen).toBe(true) // but for the heartbeats of both sides it would have ended 2 s before
  })

  it('gives up on a port that takes the connection and says nothing', async () => {
    const { proxy, endpoint: proxied } = await throughProxy()
    proxy.ignoreNew()

    await expect(openConnection(proxied, { connectTimeoutMs: 300 })).rejects.toMatchObject({
      code: 'CONNECTION_TIMEOUT',
      message: expect.stringContaining(`127.0.0.1:${proxy.port}`),
    })
  })
})

describe('a connection that cannot be had says why in one sentence', () => {
  const wrongPassword = broker.url.replace(/:[^:@]*@/, ':hunter2-wrong@')
  const cases: [string, string, string, RegExp][] = [
    [
      'a wrong password',
      wrongPassword,
      'CONNECTION_AUTHENTICATION_REFUSED',
      /refused the user name or password/,
    ],
    ['an unknown vhost', `${broker.url}-unknown`, 'CONNECTION_VHOST_NOT_FOUND', /has no vhost ".*-unknown"/],
    [
      'a closed port',
      'amqp://hunter2:hunter2-wrong@127.0.0.1:1',
      'CONNECTION_REFUSED',
      /ECONNREFUSED.*Is it running/,
    ],
    [
      'TLS on a port without it',
      broker.url.replace('amqp:', 'amqps:'),
      'CONNECTION_TLS_FAILED',
      /Check the certificates/,
    ],
    [
      'an unknown host',
      'amqp://hunter2:hunter2-wrong@no-such-host.invalid',
      'CONNECTION_REFUSED',
      /no-such-host/,
    ],
    [
      'a broken URL',
      'http://hunter2:hunter2-wrong@localhost',
      'CONNECTION_BAD_URL',
      /amqp:\/\/user:password@/,
    ],
    ['an unknown option', 'amqp://localhost?hartbeat=3', 'CONNECTION_BAD_URL', /unknown option "hartbeat"/],
  ]

  it.each(cases)('%s', async (_, url, code, sentence) => {
    const error: Error = await Session.open(url, { connectTimeoutMs: 3_000 }).catch((refused) => refused)

    expect(error).toMatchObject({ code, message: expect.stringMatching(sentence) })
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('hunter2-wrong')
  })

  it('a server that speaks something else', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }

    await expect(Session.open(`amqp://127.0.0.1:${port}`)).rejects.toMatchObject({
      code: 'CONNECTION_NOT_AMQP',
    })
  })

  it('never shows the password of an endpoint', () => {
    const [hidden] = parseAmqpUrl('amqp://someone:hunter2@localhost')

    expect(inspect(hidden, { depth: 10, showHidden: true })).not.toContain('hunter2')
    expect(JSON.stringify(hidden)).not.toContain('hunter2')
    expect(`${hidden?.password}`).not.toContain('hunter2')
  })
})
