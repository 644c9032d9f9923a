import amqp, { type GetMessage } from 'amqplib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callManagement } from '../../support/call-management.ts'
import { eventually } from '../../support/eventually.ts'
import { type RabbitCluster, startCluster } from '../../support/start-cluster.ts'
import type { RabbitNode } from '../../support/start-rabbit-node.ts'
import { describeWithNode } from '../../support/with-node.ts'

describeWithNode('a cluster of three', () => {
  let cluster: RabbitCluster

  beforeAll(async () => {
    cluster = await startCluster({ nodes: 3 })
  })
  afterAll(() => cluster?.destroy())

  test('elects another leader when the leader of a quorum queue is killed, and loses nothing', async () => {
    const connection = await amqp.connect(cluster.nodes[0]!.amqpUrl)
    const channel = await connection.createConfirmChannel()
    await channel.assertQueue('orders', { durable: true, arguments: { 'x-queue-type': 'quorum' } })
    channel.sendToQueue('orders', Buffer.from('kept'), { persistent: true })
    await channel.waitForConfirms()
    await connection.close()
    const first = await eventually(() => cluster.leaderOf('orders'))

    await first.kill9()
    const second = await eventually(async () => {
      const leader = await cluster.leaderOf('orders')
      return leader !== first && leader
    })

    const survivor = await amqp.connect(second.amqpUrl)
    const message = await (await survivor.createChannel()).get('orders', { noAck: true })
    await survivor.close()
    await first.start()
    expect((message as GetMessage).content.toString()).toBe('kept')
  })

  test('takes a killed node back', async () => {
    const absent = cluster.nodes[0]!
    const others = cluster.nodes.slice(1)
    await absent.kill9()
    await eventually(async () => expect(await runningNodes(others)).not.toContain(absent.name))

    await absent.start()

    await eventually(async () => expect(await runningNodes(others)).toContain(absent.name))
  })
})

async function runningNodes(witnesses: readonly RabbitNode[]): Promise<string[]> {
  const asked = witnesses.map((node) =>
    callManagement<{ name: string; running: boolean }[]>(node, 'GET', '/api/nodes'),
  )
  const nodes = await Promise.any(asked)
  return nodes.filter(({ running }) => running).map(({ name }) => name)
}
