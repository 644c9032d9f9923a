import { afterAll, expect, onTestFinished } from 'vitest'
import { declareQueue } from '../../../src/broker/amqp/operations.ts'
import { Session, type SessionOptions } from '../../../src/broker/amqp/session.ts'
import { startRabbitNode } from '../../support/start-rabbit-node.ts'
import { describeWithNode, testWithNode } from '../../support/with-node.ts'

describeWithNode('TLS', async () => {
  const node = await startRabbitNode({ tls: true })
  const tls = node.tls!
  afterAll(() => node.destroy())

  async function open(options: SessionOptions, url = tls.amqpsUrl): Promise<Session> {
    const session = await Session.open(url, { connectTimeoutMs: 5_000, ...options })
    onTestFinished(() => session.close())
    return session
  }

  testWithNode('carries a session when the authority is known', async () => {
    const session = await open({ tls: { ca: tls.ca } })

    const channel = await session.openChannel()
    await expect(declareQueue(channel, { queue: 'over-tls' })).resolves.toMatchObject({ queue: 'over-tls' })
  })

  testWithNode('logs in by a client certificate alone', async () => {
    await node.rabbitmqctl('add_user', tls.clientName, 'not used')
    await node.rabbitmqctl('set_permissions', tls.clientName, '.*', '.*', '.*')
    const url = tls.amqpsUrl.replace(/\/\/[^@]*@/, '//')

    const session = await open(
      {
        mechanism: 'EXTERNAL',
        tls: { ca: tls.ca, cert: tls.clientCertificate, key: tls.clientKey },
      },
      url,
    )

    expect(session.state).toBe('connected')
  })

  testWithNode('is refused in one sentence when the authority is unknown', async () => {
    await expect(open({})).rejects.toMatchObject({
      code: 'CONNECTION_TLS_FAILED',
      isFinal: true,
      message: expect.stringMatching(/TLS with amqps:.* failed: .*certificate.*Check the certificates/),
    })
  })

  testWithNode('EXTERNAL without a certificate is refused in one sentence', async () => {
    const url = tls.amqpsUrl.replace(/\/\/[^@]*@/, '//')

    await expect(open({ mechanism: 'EXTERNAL', tls: { ca: tls.ca } }, url)).rejects.toMatchObject({
      isFinal: true,
    })
  })
})
