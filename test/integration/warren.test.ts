import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect, DeploymentError, defineTopology, reject } from '../../packages/warrenmq/src/index.ts'
import { eventually } from '../support/eventually.ts'
import { useBroker } from '../support/use-broker.ts'

const broker = await useBroker()
const managementUrl = broker.managementUrl.replace('://', `://${broker.username}:${broker.password}@`)

const topology = defineTopology({
  exchanges: { 'orders.events': { type: 'topic' } },
  queues: {
    'billing.orders': {
      bind: [{ exchange: 'orders.events', key: 'order.*' }],
      retry: { delays: [50, 100], maxAttempts: 3 },
    },
  },
})

async function setup() {
  const warren = await connect(broker.url, { topology, managementUrl })
  onTestFinished(() => warren.close())
  return warren
}

describe('connect', () => {
  it('takes a new password, and uses it when its connections are lost', async () => {
    const user = `rotating-${randomUUID()}`
    const setPassword = (password: string) =>
      broker.management('PUT', `/api/users/${user}`, { password, tags: '' })
    await setPassword('old')
    onTestFinished(async () => void (await broker.management('DELETE', `/api/users/${user}`)))
    const rights = { configure: '.*', write: '.*', read: '.*' }
    await broker.management('PUT', `/api/permissions/${broker.vhost}/${user}`, rights)
    const url = new URL(broker.url)
    Object.assign(url, { username: user, password: 'old' })
    const warren = await connect(url.href, { topology, managementUrl })
    onTestFinished(() => warren.close())
    const publisher = warren.publisher()

    await setPassword('new')
    await warren.updateSecret('new', 'rotation')
    for (const { name } of await connectionsOf(user)) {
      await broker.management('DELETE', `/api/connections/${encodeURIComponent(name)}`)
    }

    await eventually(async () => {
      const { kind } = await publisher.publish({ key: 'billing.orders', body: 'x', mandatory: false })
      expect(kind).toBe('confirmed')
    })
  })

  it('gives one publisher to all who ask without options, and another once that is closed', async () => {
    const warren = await setup()
    const publisher = warren.publisher()
    expect(warren.publisher()).toBe(publisher)
    expect(warren.publisher({ resend: true })).not.toBe(publisher)

    await publisher.close()

    expect(await warren.publisher().publish({ key: 'nobody', body: 'x' })).toMatchObject({ kind: 'returned' })
  })

  it('lets the caller listen to a new consumer before its first message is run', async () => {
    const warren = await setup()
    await warren.apply()
    await warren.publisher().publish({ key: 'billing.orders', body: 'waits already' })
    const settled: string[] = []

    const consumer = await warren.consume('billing.orders', () => undefined)
    consumer.events.on('delivery.settled', ({ outcome }) => settled.push(outcome.kind))

    await eventually(() => expect(settled).toEqual(['acknowledge']))
    await consumer.close()
  })

  it('applies a topology, publishes, retries and parks, and nothing is lost', async () => {
    const warren = await setup()
    await warren.apply()
    const attempts = new Map<number, number[]>()
    const consumer = await warren.consume('billing.orders', (message, { attempt }) => {
      const { id } = message.body as { id: number }
      attempts.set(id, [...(attempts.get(id) ?? []), attempt])
      if (id % 3 === 1 && attempt < 3) throw new Error('not yet')
      return id % 3 === 2 ? reject('never') : undefined
    })
    const outcomes: string[] = []
    consumer.events.on('delivery.settled', ({ outcome }) => outcomes.push(outcome.kind))

    const publisher = warren.publisher()
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, id) =>
        publisher.publish({ exchange: 'orders.events', key: 'order.placed', body: { id } }),
      ),
    )

    expect(results.every(({ kind }) => kind === 'confirmed')).toBe(true)
    await eventually(() => expect(outcomes.filter((kind) => kind !== 'retry')).toHaveLength(30))
    expect([0, 1, 2].map((id) => attempts.get(id))).toEqual([[1], [1, 2, 3], [1]])
    expect(outcomes.filter((kind) => kind === 'acknowledge')).toHaveLength(20)
    const channelFree = await warren.plan()
    expect(channelFree.plan.isEmpty).toBe(true)
    await eventually(async () => {
      const dlq = await broker.management<{ messages: number }>(
        'GET',
        `/api/queues/${broker.vhost}/billing.orders.dlq`,
      )
      expect(dlq.messages).toBe(10)
    })
  })

  it('declares over AMQP where there is no management API', async () => {
    const warren = await connect(broker.url, { topology, managementUrl: 'http://127.0.0.1:1' })
    onTestFinished(() => warren.close())

    const report = await warren.apply()

    expect(report).toMatchObject({ isComplete: true, failed: 0 })
  })

  it('refuses to apply what would change a queue that exists, and says the ways out', async () => {
    const warren = await setup()
    await warren.apply()
    const other = defineTopology({
      queues: { 'billing.orders': { retry: { delays: [50, 100], maxAttempts: 3 }, type: 'classic' } },
    })
    const changed = await connect(broker.url, { topology: other, managementUrl })
    onTestFinished(() => changed.close())

    const error: unknown = await changed.apply().catch((refused: unknown) => refused)

    expect(error).toBeInstanceOf(DeploymentError)
    expect((error as DeploymentError).message).toMatch(/impossible in place[\s\S]*billing\.orders/i)
  })

  it('knows the declared queues at compile time', async () => {
    const warren = await setup()

    // @ts-expect-error there is no such queue in the topology
    const undeclared = warren.consume('billing.odrers', () => {})

    await expect(undeclared).rejects.toThrow('The topology has no queue "billing.odrers"')
  })
})

/** RabbitMQ tells of new connections some seconds late. */
function connectionsOf(user: string): Promise<readonly { readonly name: string }[]> {
  return eventually(async () => {
    const all = await broker.management<{ name: string; user?: string }[]>('GET', '/api/connections')
    const found = all.filter((each) => each.user === user)
    expect(found).toHaveLength(2)
    return found
  })
}
