import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { listDeadLetters } from '../../../packages/warrenmq/src/recovery/look/list-dead-letters.ts'
import { lookAtQueue } from '../../../packages/warrenmq/src/recovery/look/look-at-queue.ts'
import { createVhostOn } from '../../support/create-vhost-on.ts'
import { type RabbitNode, startRabbitNode } from '../../support/start-rabbit-node.ts'
import { describeWithNode } from '../../support/with-node.ts'
import { createRecoveryRig } from '../recovery/recovery-rig.ts'

/** Large installations turn the statistics of the management plugin off; Prometheus has them there. */
describeWithNode('on a broker that keeps no statistics', () => {
  let node: RabbitNode

  beforeAll(async () => {
    node = await startRabbitNode({ config: { 'management_agent.disable_metrics_collector': true } })
    return () => node.destroy()
  })

  async function setup() {
    const vhost = await createVhostOn(node, 'statistics')
    onTestFinished(vhost.drop)
    const { managementUrl, username, password } = node
    return createRecoveryRig({ url: vhost.url, managementUrl, username, password })
  }

  it('a queue without a delivery limit is looked at', async () => {
    const rig = await setup()
    await rig.declareWork('orders', 'orders.dlq')
    await rig.declare('orders.dlq')
    await rig.fill('orders.dlq', 3)

    const look = await lookAtQueue({ ...rig, queue: 'orders.dlq', by: 'test', onMessage: () => {} })

    expect(look).toMatchObject({ present: 3, seen: 3, isWhole: true })
  })

  it('the list has the exact depths and consumers', async () => {
    const rig = await setup()
    await rig.declareWork('orders', 'orders.dlq')
    await rig.declare('orders.dlq')
    await rig.fill('orders.dlq', 3)
    await rig.admin.consume('orders', () => {})

    const queues = await listDeadLetters({ ...rig, by: 'test' })

    expect(queues).toMatchObject([
      {
        queue: 'orders.dlq',
        messages: 3,
        consumers: 0,
        looked: 3,
        notLookedAt: undefined,
        sources: [{ queue: 'orders', consumers: 1 }],
      },
    ])
  })

  it('a queue with a delivery limit is left alone', async () => {
    const rig = await setup()
    await rig.declare('limited.dlq', { 'x-queue-type': 'quorum', 'x-delivery-limit': 3 })
    await rig.fill('limited.dlq', 1)

    const look = lookAtQueue({ ...rig, queue: 'limited.dlq', by: 'test', onMessage: () => {} })

    await expect(look).rejects.toMatchObject({ message: expect.stringContaining('delivery limit of 3') })
  })
})
