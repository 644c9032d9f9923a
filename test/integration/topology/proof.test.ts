import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { inspectQueue } from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../../packages/warrenmq/src/broker/amqp/session.ts'
import { applyPlan } from '../../../packages/warrenmq/src/deploy/apply-plan.ts'
import { planBlindly } from '../../../packages/warrenmq/src/deploy/plan-deployment.ts'
import { Publisher } from '../../../packages/warrenmq/src/publisher/publisher.ts'
import type {
  QueueDeclaration,
  TopologyDeclaration,
} from '../../../packages/warrenmq/src/topology/declaration.ts'
import { proveTopology } from '../../../packages/warrenmq/src/topology/prove/prove-topology.ts'
import { eventually } from '../../support/eventually.ts'
import { createVhost } from '../../support/use-broker.ts'
import { lawSeed } from './law-settings.ts'

/** The topology on a vhost of its own, and what the proof says of it for the version of this broker. */
async function setup(topology: TopologyDeclaration) {
  const broker = await createVhost()
  const session = await Session.open(broker.url)
  const publisher = new Publisher(session)
  const end = async () => {
    await publisher.close()
    await session.close()
    await broker.drop()
  }
  const { wanted, plan } = planBlindly(topology, broker.version)
  expect(await applyPlan(session, plan)).toMatchObject({ isComplete: true })
  const findings = proveTopology(wanted).findings.map(
    ({ property, code, queue }) => `${queue}: ${property}/${code}`,
  )
  const channel = await session.openChannel()
  const depth = async (queue: string) => (await inspectQueue(channel, queue)).messageCount
  const send = async (queue: string, body: string) => {
    expect(await publisher.publish({ key: queue, body })).toMatchObject({ kind: 'confirmed' })
  }
  /** Everything in a queue, emptied by reading. */
  const drain = async (queue: string) => {
    const bodies: string[] = []
    for (
      let got = await channel.get(queue, { noAck: true });
      got;
      got = await channel.get(queue, { noAck: true })
    ) {
      bodies.push(String(got.body))
    }
    return bodies.sort()
  }
  return { session, publisher, wanted, findings, depth, send, drain, end }
}

/** Takes the message and closes the channel, which every version counts as a return. */
async function lookAt(session: Session, queue: string): Promise<boolean> {
  const channel = await session.openChannel()
  const got = await channel.get(queue)
  await channel.close()
  return got !== undefined
}

async function lookOften(session: Session, queue: string, times: number): Promise<void> {
  for (let look = 0; look < times; look += 1) {
    await eventually(() => lookAt(session, queue), { intervalMs: 5, what: `a message in ${queue}` })
  }
}

const ratatoskr = (exact: boolean): TopologyDeclaration => ({
  layout: 'ratatoskr',
  exact,
  queues: { q: { retry: { delays: [100] } } },
})

describe('what the proof calls a loss can be made to happen, and what it does not, does not', () => {
  it.each([true, false])('ends/cut-cycle: a message returned too often, exact %s', async (exact) => {
    const { session, findings, depth, send, drain, end } = await setup(ratatoskr(exact))
    onTestFinished(end)
    await send('q', 'kills its consumer')

    await lookOften(session, 'q', 21)
    // The message comes back before one that is sent after it, into the queue and by way of the wait queue.
    await send('q', 'behind it')
    await send('q.retry', 'behind it, waiting')
    await eventually(async () => {
      expect(await depth('q.retry')).toBe(0)
      expect(await depth('q')).toBeGreaterThanOrEqual(2)
    })

    const isLost = findings.includes('q: ends/cut-cycle')
    const rest = ['behind it', 'behind it, waiting']
    expect(await drain('q')).toEqual(isLost ? rest : [...rest, 'kills its consumer'])
    expect(await drain('q.dlq')).toEqual([])
    expect(isLost).toBe(exact && !session.broker.version.startsWith('3.'))
  })

  it.each([true, false])('ends/cut-cycle: a message that expires by itself, exact %s', async (exact) => {
    const expiration = 50
    const { publisher, findings, depth, send, drain, end } = await setup({
      ...ratatoskr(exact),
      queues: { q: { retry: { delays: [300] } } },
      publications: [{ exchange: '', key: 'q', expiration }],
    })
    onTestFinished(end)
    await publisher.publish({ key: 'q', body: 'not handled in time', expirationMs: expiration })

    await eventually(async () => expect(await depth('q')).toBe(0))
    await send('q.retry', 'behind it')
    await eventually(async () => expect(await depth('q')).toBe(1))

    expect(findings).toContain('q: ends/cut-cycle')
    expect(await drain('q')).toEqual(['behind it'])
    expect(await drain('q.dlq')).toEqual([])
  })

  it('ends/cut-cycle: a rejection that RabbitMQ before 3.13 overlooks', async () => {
    const to = (key: string, ttlMs?: number): QueueDeclaration => ({
      type: 'classic',
      deadLetter: false,
      arguments: {
        'x-dead-letter-exchange': '',
        'x-dead-letter-routing-key': key,
        ...(ttlMs !== undefined && { 'x-message-ttl': ttlMs }),
      },
    })
    const { session, findings, send, drain, end } = await setup({
      queues: { a: to('b', 50), b: to('c'), c: to('a', 300) },
    })
    onTestFinished(end)
    await send('a', 'goes round')
    const channel = await session.openChannel()
    const got = await eventually(async () => (await channel.get('b')) ?? false)
    got.nack({ requeue: false })
    await channel.close()

    await send('c', 'behind it')
    const arrived: string[] = []
    await eventually(async () => {
      arrived.push(...(await drain('b')))
      expect(arrived).toContain('behind it')
    })

    const isLost = findings.includes('a: ends/cut-cycle')
    expect(arrived.sort()).toEqual(isLost ? ['behind it'] : ['behind it', 'goes round'])
    expect(isLost).toBe(session.broker.version.startsWith('3.'))
  })

  it.each([true, false])(
    'dlq-keeps/delivery-limit: a dead letter looked at too often, exact %s',
    async (exact) => {
      const { session, findings, send, drain, end } = await setup(ratatoskr(exact))
      onTestFinished(end)
      await send('q.dlq', 'evidence')

      await lookOften(session, 'q.dlq', 21)
      await send('q.dlq', 'later')

      const isLost = findings.includes('q.dlq: dlq-keeps/delivery-limit')
      expect(await drain('q.dlq')).toEqual(isLost ? ['later'] : ['evidence', 'later'])
      expect(isLost).toBe(exact && !session.broker.version.startsWith('3.'))
    },
  )

  it('right-for-version/misread: -1 before 4.0 drops at the first look', async () => {
    const queues = { q: { deadLetter: { arguments: { 'x-delivery-limit': -1 } } } }
    const { session, findings, send, drain, end } = await setup({ queues })
    onTestFinished(end)
    await send('q.dlq', 'evidence')

    await lookOften(session, 'q.dlq', 1)
    await send('q.dlq', 'later')

    const isMisread = findings.includes('q.dlq: right-for-version/misread')
    expect(await drain('q.dlq')).toEqual(isMisread ? ['later'] : ['evidence', 'later'])
    expect(isMisread).toBe(session.broker.version.startsWith('3.'))
  })

  it('the warren layout parks what kills its consumer, and keeps it however often one looks', async () => {
    const { session, findings, send, drain, end } = await setup({ queues: { q: { poisonLimit: 3 } } })
    onTestFinished(end)
    await send('q', 'poison')

    await lookOften(session, 'q', 4)
    await lookOften(session, 'q.dlq', 25)
    await send('q.dlq', 'later')

    expect(findings).toEqual([])
    expect(await drain('q.dlq')).toEqual(['later', 'poison'])
    expect(await drain('q')).toEqual([])
  })

  it('comes-home: a retry is seen by exactly the queues that the proof names', async () => {
    const pattern = fc.constantFrom(
      '#',
      '*.retry',
      'user.*',
      'user.new',
      '*.*',
      'auth.*',
      'user.retry',
      '*.retry.#',
      'a.#.retry',
    )
    const spies = fc.uniqueArray(pattern, { maxLength: 4 })
    const property = fc.asyncProperty(spies, async (keys) => {
      const spy = (key: string): QueueDeclaration => ({
        layout: 'warren',
        deadLetter: false,
        arguments: { 'x-delivery-limit': 100 },
        bind: [{ exchange: 'freeflow.events', key }],
      })
      const topology: TopologyDeclaration = {
        layout: 'freeflow',
        queues: {
          'freeflow.user': { retry: { delays: [50] } },
          ...Object.fromEntries(keys.map((key) => [`spy ${key}`, spy(key)])),
        },
      }
      const { publisher, wanted, depth, end } = await setup(topology)
      try {
        const { retry } = wanted.flows[0]!
        const [tier] = retry?.kind === 'publish' ? retry.tiers : []
        const named = proveTopology(wanted).findings.filter(({ property: of }) => of === 'comes-home')

        await publisher.publish({ exchange: tier!.exchange, key: tier!.key, body: 'again' })

        const expected = ['freeflow.user', ...named.map(({ path }) => path.at(-1)!)].sort()
        // Its copies leave the wait queue together, so once it is home every other has arrived or never will.
        await eventually(async () => expect(await depth('freeflow.user')).toBe(1))
        const work = wanted.queues.filter(({ role }) => role === 'work').map(({ name }) => name)
        await eventually(async () => {
          const depths = await Promise.all(work.map(depth))
          expect(work.filter((_, index) => depths[index] === 1).sort()).toEqual(expected)
        })
      } finally {
        await end()
      }
    })
    await fc.assert(property, { numRuns: 8, seed: lawSeed })
  })
})
