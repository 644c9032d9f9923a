import amqp from 'amqplib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NodeTls, type RabbitNode, startRabbitNode } from '../../support/start-rabbit-node.ts'
import { describeWithNode } from '../../support/with-node.ts'

describeWithNode('a node with TLS', () => {
  let node: RabbitNode
  let tls: NodeTls

  beforeAll(async () => {
    node = await startRabbitNode({ tls: true })
    tls = node.tls as NodeTls
    await node.rabbitmqctl('add_user', tls.clientName, 'not used')
    await node.rabbitmqctl('set_permissions', tls.clientName, '.*', '.*', '.*')
  })
  afterAll(() => node?.destroy())

  test('takes a password over amqps from a client that trusts its authority', async () => {
    const connection = await amqp.connect(tls.amqpsUrl, { ca: [tls.ca] })

    await expect(connection.createChannel()).resolves.toBeDefined()
    await connection.close()
  })

  test('is not trusted by a client that does not know its authority', async () => {
    await expect(amqp.connect(tls.amqpsUrl)).rejects.toThrow(/certificate/)
  })

  test('logs a client in by its certificate alone', async () => {
    const { ca, clientCertificate: cert, clientKey: key } = tls
    const credentials = amqp.credentials.external()

    const connection = await amqp.connect(tls.amqpsUrl, { ca: [ca], cert, key, credentials })
    const users = await node.rabbitmqctl('list_connections', 'user', 'auth_mechanism')
    await connection.close()

    expect(users).toMatch(/warren-client\s+EXTERNAL/)
  })
})
