import { afterAll, beforeAll, expect, it } from 'vitest'
import { Session } from '../../packages/warrenmq/src/broker/amqp/session.ts'
import { applyPlan } from '../../packages/warrenmq/src/deploy/apply-plan.ts'
import { planBlindly } from '../../packages/warrenmq/src/deploy/plan-deployment.ts'
import { Publisher } from '../../packages/warrenmq/src/publisher/publisher.ts'
import type { TopologyDeclaration } from '../../packages/warrenmq/src/topology/declaration.ts'
import { type LosesAt, proveTopology } from '../../packages/warrenmq/src/topology/prove/prove-topology.ts'
import { createVhostOn } from '../support/create-vhost-on.ts'
import { eventually } from '../support/eventually.ts'
import { type RabbitNode, startRabbitNode } from '../support/start-rabbit-node.ts'
import { describeWithNode } from '../support/with-node.ts'

const messages = 2_000
const rounds = Number(process.env.WARREN_RESTART_ROUNDS ?? 2)
const ttlMs = 400
/** The layout whose exact form is classic from end to end, and the same hardened. */
const declare = (exact: boolean): TopologyDeclaration => ({
  layout: 'event-bus',
  exact,
  queues: { orders: { retry: { delays: [ttlMs] } } },
})
const work = 'default.queue.orders'
const queues = [work, 'default.retry-queue.orders', 'default.dlq.orders']

/** A vhost in which every message goes round: a consumer rejects it, it waits, it comes back. */
interface Round {
  readonly session: Session
  readonly losesAt: LosesAt
}

async function beginRound(node: RabbitNode, { exact }: { exact: boolean }): Promise<Round> {
  const { url } = await createVhostOn(node, exact ? 'exact' : 'hardened')
  const session = await Session.open(url, { backoff: { initialMs: 50, maxMs: 500 } })
  const { wanted, plan } = planBlindly(declare(exact), node.version)
  expect(await applyPlan(session, plan)).toMatchObject({ isComplete: true })
  const publisher = new Publisher(session)
  const results = await Promise.all(
    Array.from({ length: messages }, (_, index) => publisher.publish({ key: work, body: `${index}` })),
  )
  expect(results.every(({ kind }) => kind === 'confirmed')).toBe(true)
  await publisher.close()
  return { session, losesAt: proveTopology(wanted).losesAt }
}

/** Rejects whatever comes until the broker ends; settles once many messages are on their way. */
async function rejectAll({ session }: Round): Promise<void> {
  const channel = await session.openChannel()
  await channel.setPrefetch(100)
  let rejected = 0
  await channel.consume(work, ({ deliveryTag }) => {
    rejected += 1
    channel.nack(deliveryTag, { requeue: false })
  })
  const hasBegun = eventually(() => expect(rejected).toBeGreaterThan(messages / 4), { timeoutMs: 5_000 })
  // Fewer come where many were lost at the end before this one.
  await hasBegun.catch(() => {})
}

/** How many different messages are still in one of the queues. */
async function countLeft({ session }: Round): Promise<number> {
  const channel = await session.openChannel()
  const bodies = new Set<string>()
  const drain = async (queue: string) => {
    const take = () => channel.get(queue, { noAck: true })
    for (let got = await take(); got; got = await take()) bodies.add(String(got.body))
  }
  const areAllFound = eventually(
    async () => {
      for (const queue of queues) await drain(queue)
      expect(bodies.size).toBe(messages)
    },
    { timeoutMs: 25_000 },
  )
  await areAllFound.catch(() => {})
  await channel.close()
  return bodies.size
}

describeWithNode.each(['stop', 'kill9'] as const)(
  'messages on their way when the broker ends by %s',
  (how) => {
    let node: RabbitNode
    let left: { readonly exact: number; readonly hardened: number }
    let losesAt: { readonly exact: LosesAt; readonly hardened: LosesAt }

    beforeAll(async () => {
      node = await startRabbitNode({ deadLetterResendMs: 3_000 })
      const exact = await beginRound(node, { exact: true })
      const hardened = await beginRound(node, { exact: false })
      losesAt = { exact: exact.losesAt, hardened: hardened.losesAt }
      await node.syncRegistrations()
      for (let round = 0; round < rounds; round += 1) {
        await Promise.all([exact, hardened].map(rejectAll))
        await node[how]()
        await node.start()
        await Promise.all([exact, hardened].map(({ session }) => session.whenConnected()))
      }
      left = { exact: await countLeft(exact), hardened: await countLeft(hardened) }
      await Promise.all([exact, hardened].map(({ session }) => session.close()))
    })
    afterAll(() => node?.destroy())

    it('are all there in the hardened layout, as the proof says', () => {
      expect(losesAt.hardened).toEqual({ stop: [], crash: [] })
      expect(left.hardened).toBe(messages)
    })

    it('are not promised by the proof of the exact layout, which loses all, some or none', () => {
      const mayLose = queues.slice(0, 2).map((at) => ({ at, what: 'on-the-way' }))

      // Which it is, is chance: five kills left none of 2,000 in one run, and two left all of them in another.
      expect(left.exact).toBeLessThanOrEqual(messages)
      expect(losesAt.exact).toEqual({ stop: mayLose, crash: mayLose })
    })
  },
)
