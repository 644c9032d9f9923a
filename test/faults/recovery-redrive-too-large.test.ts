import { expect, onTestFinished } from 'vitest'
import { createRecoveryRig } from '../integration/recovery/recovery-rig.ts'
import { startRabbitNode } from '../support/start-rabbit-node.ts'
import { testWithNode } from '../support/with-node.ts'

testWithNode(
  'messages that a broker took once and takes no more stay, and all the others are moved',
  { timeout: 400_000 },
  async () => {
    const node = await startRabbitNode()
    onTestFinished(() => node.destroy())
    const access = { ...node, url: node.amqpUrl }
    const before = await createRecoveryRig(access)
    await before.declare('work')
    await before.declare('dlq')
    const headers = { 'x-original-queue': 'work' }
    // More of them at the head than a channel is opened again for.
    const isLarge = (index: number) => index < 12
    const body = (index: number) => `${index} `.padEnd(isLarge(index) ? 200_000 : 0, 'x')
    await before.fill('dlq', 60, (index) => ({ headers, body: body(index) }))
    // As after an upgrade to 4.0, which takes no more than 16 MiB where 3.13 took 128. New channels go by it.
    await node.rabbitmqctl(
      'eval',
      'application:set_env(rabbit, max_message_size, 100000), persistent_term:put(max_message_size, 100000).',
    )

    const { redrive, drain, depth } = await createRecoveryRig(access)
    const receipt = await redrive({ queue: 'dlq' })

    expect(receipt).toMatchObject({ present: 60, moved: 48, failed: 0, kept: 12, isBalanced: true })
    expect(receipt.keptBecause).toEqual([{ reason: 'too-large', count: 12 }])
    expect(await depth('dlq')).toBe(12)
    const moved = (await drain('work')).map(({ properties }) => properties.messageId)
    expect(new Set(moved).size).toBe(48)
    expect(moved.length - 48).toBeLessThanOrEqual(receipt.duplicatesPossible)
  },
)
