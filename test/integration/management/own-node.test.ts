import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import {
  type Management,
  openManagement,
} from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import { endNode } from '../../support/end-node.ts'
import { eventually } from '../../support/eventually.ts'
import { type RabbitNode, startRabbitNode } from '../../support/start-rabbit-node.ts'
import { describeWithNode } from '../../support/with-node.ts'

describeWithNode('a client of a node in trouble', () => {
  let node: RabbitNode
  let management: Management

  beforeAll(async () => {
    node = await startRabbitNode()
    management = openManagement(withCredentials(node))
  })
  afterAll(async () => {
    management?.close()
    await node?.destroy()
  })

  it('sees an alarm, and sees it go', async () => {
    await node.rabbitmqctl('set_vm_memory_high_watermark', '0.00001')

    await eventually(async () =>
      expect(await management.health()).toEqual({
        isHealthy: false,
        alarms: [{ node: node.name, resource: 'memory' }],
      }),
    )
    await node.rabbitmqctl('set_vm_memory_high_watermark', '0.4')
    await eventually(async () => expect(await management.health()).toEqual({ isHealthy: true, alarms: [] }))
  })

  it('says that the broker is gone, and works again when it is back', async () => {
    await management.overview()
    const startAgain = await endNode(node, 'kill9')

    await expect(management.overview()).rejects.toMatchObject({ code: 'MANAGEMENT_UNREACHABLE' })
    await startAgain()

    expect(await management.overview()).toMatchObject({ version: node.version })
  })

  it('does not wait for ever for a broker that hangs', async () => {
    const impatient = openManagement(withCredentials(node), { timeoutMs: 200 })
    onTestFinished(() => impatient.close())
    onTestFinished(() => node.resume())
    await node.pause()

    await expect(impatient.overview()).rejects.toMatchObject({ code: 'MANAGEMENT_TIMEOUT' })
  })
})

function withCredentials({ managementUrl, username, password }: RabbitNode): string {
  const url = new URL(managementUrl)
  url.username = username
  url.password = password
  return url.href
}
