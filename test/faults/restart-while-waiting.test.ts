import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inspectQueue } from '../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../packages/warrenmq/src/broker/amqp/session.ts'
import { applyPlan } from '../../packages/warrenmq/src/deploy/apply-plan.ts'
import { planBlindly } from '../../packages/warrenmq/src/deploy/plan-deployment.ts'
import { Publisher } from '../../packages/warrenmq/src/publisher/publisher.ts'
import type { TopologyDeclaration } from '../../packages/warrenmq/src/topology/declaration.ts'
import { proveTopology } from '../../packages/warrenmq/src/topology/prove/prove-topology.ts'
import { createVhostOn } from '../support/create-vhost-on.ts'
import { eventually } from '../support/eventually.ts'
import { type RabbitNode, startRabbitNode } from '../support/start-rabbit-node.ts'
import { describeWithNode } from '../support/with-node.ts'

const perQueue = 25
/** Long enough that the broker is down before they come due. */
const ttlMs = 20_000
/** Not too short: what a busy machine confirms later than this arrives twice. */
const deadLetterResendMs = 10_000
// Each exact queue loses all or nothing, about one in two (measured); of sixteen some always do.
const names = Array.from({ length: 16 }, (_, index) => `orders-${index}`)
const declare = (exact: boolean): TopologyDeclaration => ({
  layout: 'ratatoskr',
  exact,
  queues: Object.fromEntries(names.map((name) => [name, { retry: { delays: [ttlMs] } }])),
})

/** A vhost of one kind of wait queues, and what the proof says of them. */
interface Waiting {
  readonly session: Session
  readonly findings: ReadonlySet<string>
}

async function declareWaiting(node: RabbitNode, { exact }: { exact: boolean }): Promise<Waiting> {
  const { url } = await createVhostOn(node, exact ? 'exact' : 'hardened')
  const session = await Session.open(url, { backoff: { initialMs: 50, maxMs: 1_000 } })
  const { wanted, plan } = planBlindly(declare(exact), node.version)
  expect(await applyPlan(session, plan)).toMatchObject({ isComplete: true })
  const proof = proveTopology(wanted)
  return { session, findings: new Set(proof.findings.map(({ property, code }) => `${property}/${code}`)) }
}

async function fillWaitQueues({ session }: Waiting): Promise<void> {
  const publisher = new Publisher(session)
  const waitQueues = names.flatMap((name) => Array.from({ length: perQueue }, () => `${name}.retry`))
  const results = await Promise.all(
    waitQueues.map((key) => publisher.publish({ key, body: 'due while the broker is down' })),
  )
  expect(results.every(({ kind }) => kind === 'confirmed')).toBe(true)
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
  let node: RabbitNode
  let hardened: Waiting
  let exact: Waiting

  beforeAll(async () => {
    node = await startRabbitNode({ deadLetterResendMs })
    hardened = await declareWaiting(node, { exact: false })
    exact = await declareWaiting(node, { exact: true })
    const both = [hardened, exact]
    await Promise.all(both.map(fillWaitQueues))
    const dueAt = performance.now() + ttlMs
    await node.stop()
    // That time passes while the node is down is the subject, and nobody there could tell.
    await sleep(Math.max(0, dueAt + 1_000 - performance.now()))
    await node.start()
    await Promise.all(both.map(({ session }) => session.whenConnected()))
  })
  afterAll(async () => {
    await Promise.all([hardened?.session.close(), exact?.session.close()])
    await node?.destroy()
  })

  it('all return from the hardened wait queues, as the proof says', { timeout: 300_000 }, async () => {
    const { session, findings } = hardened

    // A dead letter whose target had no leader yet is sent again, by a RabbitMQ as it comes after three minutes.
    await eventually(async () => expect(await countArrived(session)).toBe(names.length * perQueue), {
      timeoutMs: 240_000,
    })
    expect(findings).toEqual(new Set())
  })

  it('are lost from the exact ones, as the proof says', async () => {
    const { session, findings } = exact

    await eventually(async () => expect(await countWaiting(session)).toBe(0))
    expect(await countArrived(session)).toBeLessThan(names.length * perQueue)
    expect(findings).toContain('no-silent-loss/at-most-once-hop')
  })
})
