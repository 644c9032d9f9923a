import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { inspectQueue } from '../../src/broker/amqp/operations.ts'
import { Session } from '../../src/broker/amqp/session.ts'
import { applyPlan } from '../../src/deploy/apply-plan.ts'
import { planBlindly } from '../../src/deploy/deploy-topology.ts'
import { Publisher } from '../../src/publisher/publisher.ts'
import type { TopologyDeclaration } from '../../src/topology/declaration.ts'
import { proveTopology } from '../../src/topology/prove/prove-topology.ts'
import { eventually } from '../support/eventually.ts'
import { startRabbitNode } from '../support/start-rabbit-node.ts'
import { describeWithNode, testWithNode } from '../support/with-node.ts'

const perQueue = 25
// Each exact queue loses all or nothing, about one in two (measured); of sixteen some always do.
const names = Array.from({ length: 16 }, (_, index) => `orders-${index}`)
const declare = ({ exact, ttlMs }: Case): TopologyDeclaration => ({
  layout: 'ratatoskr',
  exact,
  queues: Object.fromEntries(names.map((name) => [name, { retry: { delays: [ttlMs] } }])),
})

interface Case {
  readonly exact: boolean
  /** Long enough that the broker is down before they come due. */
  readonly ttlMs: number
}

/** A broker that is down while the messages in every wait queue come due. */
async function setup({ exact, ttlMs }: Case) {
  const node = await startRabbitNode()
  onTestFinished(() => node.destroy())
  const session = await Session.open(node.amqpUrl, { backoff: { initialMs: 50, maxMs: 1_000 } })
  onTestFinished(() => session.close())
  const { wanted, plan } = planBlindly(declare({ exact, ttlMs }), node.version)
  expect(await applyPlan(session, plan)).toMatchObject({ isComplete: true })
  const proof = proveTopology(wanted)
  const findings = new Set(proof.findings.map(({ property, code }) => `${property}/${code}`))

  const publisher = new Publisher(session)
  const waitQueues = names.flatMap((name) => Array.from({ length: perQueue }, () => `${name}.retry`))
  const results = await Promise.all(
    waitQueues.map((key) => publisher.publish({ key, body: 'due while the broker is down' })),
  )
  expect(results.every(({ kind }) => kind === 'confirmed')).toBe(true)
  const dueAt = performance.now() + ttlMs
  await node.stop()
  await sleep(Math.max(0, dueAt + 1_000 - performance.now()))
  await node.start()
  await session.whenConnected()
  return { session, findings }
}

async function countArrived(session: Session): Promise<number> {
  const channel = await session.openChannel()
  const counts = await Promise.all(names.map((name) => inspectQueue(channel, name)))
  await channel.close()
  return counts.reduce((sum, { messageCount }) => sum + messageCount, 0)
}

async function countWaiting(session: Session): Promise<number> {
  const channel = await session.openChannel()
  const counts = await Promise.all(names.map((name) => inspectQueue(channel, `${name}.retry`)))
  await channel.close()
  return counts.reduce((sum, { messageCount }) => sum + messageCount, 0)
}

describeWithNode('messages that come due while the broker restarts', () => {
  testWithNode(
    'all return from the hardened wait queues, as the proof says',
    { timeout: 600_000 },
    async () => {
      const { session, findings } = await setup({ exact: false, ttlMs: 8_000 })

      // A dead letter whose target had no leader yet is sent again by RabbitMQ after three minutes.
      await eventually(async () => expect(await countArrived(session)).toBe(names.length * perQueue), {
        timeoutMs: 240_000,
      })
      expect(findings).toEqual(new Set())
    },
  )

  testWithNode('are lost from the exact ones, as the proof says', { timeout: 400_000 }, async () => {
    const { session, findings } = await setup({ exact: true, ttlMs: 20_000 })

    await eventually(async () => expect(await countWaiting(session)).toBe(0), { timeoutMs: 60_000 })
    expect(await countArrived(session)).toBeLessThan(names.length * perQueue)
    expect(findings).toContain('no-silent-loss/at-most-once-hop')
  })
})
