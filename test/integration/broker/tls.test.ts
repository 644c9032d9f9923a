import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished } from 'vitest'
import { declareQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session, type SessionOptions } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { callManagement } from '../../support/call-management.ts'
import { createCertificates, type NodeCertificates } from '../../support/node/create-certificates.ts'
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
    const permissions = { configure: '.*', write: '.*', read: '.*' }
    await callManagement(node, 'PUT', `/api/users/${tls.clientName}`, { password: 'not used', tags: '' })
    await callManagement(node, 'PUT', `/api/permissions/%2F/${tls.clientName}`, permissions)
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

  testWithNode('is refused in one sentence when the certificate is for another name', async () => {
    const other = { ca: tls.ca, servername: 'broker.example' }

    await expect(open({ tls: other })).rejects.toMatchObject({
      code: 'CONNECTION_TLS_FAILED',
      isFinal: true,
      message: expect.stringMatching(/does not match certificate's altnames.*broker\.example/),
    })
  })

  testWithNode(
    'a client certificate of an authority that the broker does not know is final, too',
    async () => {
      const stranger = await createStranger()
      const failures: unknown[] = []

      // A broker that is waited for would be asked again and again, were it not.
      const opening = Session.open(tls.amqpsUrl, {
        waitForBrokerMs: 60_000,
        tls: { ca: tls.ca, cert: stranger.clientCertificate, key: stranger.clientKey },
      })
      await opening.catch((error) => failures.push(error))

      expect(failures).toMatchObject([
        {
          code: 'CONNECTION_TLS_FAILED',
          isFinal: true,
          message: expect.stringMatching(/alert.*tls\.cert/),
        },
      ])
    },
  )

  testWithNode('a key that does not belong to its certificate is told in one sentence', async () => {
    const { clientKey } = await createStranger()

    await expect(
      open({ tls: { ca: tls.ca, cert: tls.clientCertificate, key: clientKey } }),
    ).rejects.toMatchObject({
      code: 'CONNECTION_TLS_FAILED',
      isFinal: true,
      message: expect.stringMatching(/mismatch.*tls\.key/),
    })
  })

  testWithNode('EXTERNAL without a certificate is refused in one sentence', async () => {
    const url = tls.amqpsUrl.replace(/\/\/[^@]*@/, '//')

    await expect(open({ mechanism: 'EXTERNAL', tls: { ca: tls.ca } }, url)).rejects.toMatchObject({
      isFinal: true,
    })
  })
})

/** Somebody whom the broker knows nothing of, with certificates of their own. */
async function createStranger(): Promise<NodeCertificates> {
  const directory = await mkdtemp(join(tmpdir(), 'warren-stranger-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  return createCertificates(join(directory, 'tls'))
}
