import amqp, { type GetMessage } from 'amqplib'
import { expect, onTestFinished, test } from 'vitest'
import { callManagement } from '../../support/call-management.ts'
import { createVhostOn } from '../../support/create-vhost-on.ts'
import { endNode } from '../../support/end-node.ts'
import { eventually } from '../../support/eventually.ts'
import type { RabbitCluster } from '../../support/start-cluster.ts'
import type { RabbitNode } from '../../support/start-rabbit-node.ts'

/** The cluster itself is one, before anything of ours is tested on it. */
export function testMembership(open: () => RabbitCluster): void {
  test('elects another leader when the leader of a quorum queue is killed, and loses nothing', async () => {
    const { nodes, leaderOf } = open()
    const { vhost, drop } = await createVhostOn(nodes[0]!, 'membership')
    onTestFinished(drop)
    const connection = await amqp.connect(`${nodes[0]!.amqpUrl}/${vhost}`)
    const channel = await connection.createConfirmChannel()
    await channel.assertQueue('orders', { durable: true, arguments: { 'x-queue-type': 'quorum' } })
    channel.sendToQueue('orders', Buffer.from('kept'), { persistent: true })
    await channel.waitForConfirms()
    await connection.close()
    const first = await eventually(() => leaderOf('orders', { vhost }))

    const startAgain = await endNode(first, 'kill9')
    const second = await eventually(async () => {
      const leader = await leaderOf('orders', { vhost })
      return leader !== first && leader
    })

    const survivor = await amqp.connect(`${second.amqpUrl}/${vhost}`)
    const message = await (await survivor.createChannel()).get('orders', { noAck: true })
    await survivor.close()
    await startAgain()
    expect((message as GetMessage).content.toString()).toBe('kept')
  })

  test('takes a killed node back', async () => {
    const [absent, ...others] = open().nodes as [RabbitNode, ...RabbitNode[]]
    const startAgain = await endNode(absent, 'kill9')
    await eventually(async () => expect(await runningNodes(others)).not.toContain(absent.name))

    await startAgain()

    await eventually(async () => expect(await runningNodes(others)).toContain(absent.name))
  })
}

async function runningNodes(witnesses: readonly RabbitNode[]): Promise<string[]> {
  const asked = witnesses.map((node) =>
    callManagement<{ name: string; running: boolean }[]>(node, 'GET', '/api/nodes'),
  )
  const nodes = await Promise.any(asked)
  return nodes.filter(({ running }) => running).map(({ name }) => name)
}
