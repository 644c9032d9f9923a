import { describe, expect, it, onTestFinished } from 'vitest'
import { connect, DeploymentError, defineTopology, retry } from '../../../packages/warrenmq/src/index.ts'
import { eventually } from '../../support/eventually.ts'
import { createVhost } from '../../support/use-broker.ts'

const orders = (...delays: string[]) => defineTopology({ queues: { orders: { retry: { delays } } } })

/** A vhost of its own, and one release of a service after the other on it. */
async function setup() {
  const broker = await createVhost()
  const managementUrl = broker.managementUrl.replace('://', `://${broker.username}:${broker.password}@`)
  onTestFinished(() => broker.drop())
  const release = async (topology: ReturnType<typeof orders>) => {
    const warren = await connect(broker.url, { topology, managementUrl })
    onTestFinished(() => warren.close())
    return warren
  }
  const queues = async () => {
    const list = await broker.management<{ name: string }[]>('GET', `/api/queues/${broker.vhost}`)
    return list.map(({ name }) => name).sort()
  }
  return { release, queues }
}

/** The warnings of this process with one code, from now on. */
function hearWarnings(code: string): string[] {
  const heard: string[] = []
  const listen = (warning: Error & { code?: string }) => {
    if (warning.code === code) heard.push(warning.message)
  }
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  return heard
}

describe('a release that changes one delay', () => {
  it('starts beside the old one, and what waits in the old wait queue comes back', async () => {
    const { release, queues } = await setup()
    const warnings = hearWarnings('WARREN_LEFTOVER')
    const old = await release(orders('200ms', '2s'))
    await old.apply()
    const handledBy = new Map<string, string[]>()
    const consume = async (warren: typeof old, name: string) =>
      warren.consume('orders', (message, { attempt }) => {
        const by = handledBy.get(String(message.body)) ?? []
        handledBy.set(String(message.body), [...by, name])
        return attempt < 3 ? retry() : undefined
      })
    const oldConsumer = await consume(old, 'old')
    const bodies = Array.from({ length: 40 }, (_, index) => `order ${index}`)
    await Promise.all(bodies.map((body) => old.publisher().publish({ key: 'orders', body })))
    // All of them wait in the queue that the next release does not know.
    await eventually(() =>
      expect([...handledBy.values()].filter(({ length }) => length === 2)).toHaveLength(40),
    )

    const next = await release(orders('200ms', '3s'))
    const report = await next.apply()
    await consume(next, 'new')
    await oldConsumer.close()

    expect(report).toMatchObject({ isComplete: true, failed: 0, skipped: 0, kept: 1 })
    await eventually(() => expect(warnings).toHaveLength(1))
    expect(warnings[0]).toMatch(/"orders\.retry\.2s".*no longer declared.*kept/)
    await eventually(() => expect(handledBy.size).toBe(40))
    await eventually(() =>
      expect(
        [...handledBy.values()].every(({ length }) => length === 3),
        'each came back',
      ).toBe(true),
    )
    expect([...handledBy.values()].some((by) => by.at(-1) === 'new')).toBe(true)
    expect(await queues()).toContain('orders.retry.2s')
  })

  it('may be started again and again, by old and new replicas in turn', async () => {
    const { release, queues } = await setup()
    hearWarnings('WARREN_LEFTOVER')
    const releases = [orders('1s', '2s'), orders('1s', '3s'), orders('1s', '2s'), orders('1s', '3s')]

    for (const topology of releases) {
      const report = await (await release(topology)).apply()
      expect(report).toMatchObject({ isComplete: true, failed: 0, skipped: 0 })
    }

    expect(await queues()).toEqual([
      'orders',
      'orders.dlq',
      'orders.retry.1s',
      'orders.retry.2s',
      'orders.retry.3s',
    ])
  })

  it('removes what is left over only if told, only when empty, and only while nobody could publish there', async () => {
    const { release, queues } = await setup()
    hearWarnings('WARREN_LEFTOVER')
    const old = await release(orders('1s', '2s'))
    await old.apply()
    const oldConsumer = await old.consume('orders', () => undefined)
    const next = await release(orders('1s', '3s'))

    const besideOld = await next.apply({ leftovers: 'remove-empty' })
    await oldConsumer.close()
    await old.publisher().publish({ key: 'orders.retry.2s', body: 'waits' })
    const withMessage = await next.apply({ leftovers: 'remove-empty' })
    const reasonOf = ({ results }: typeof besideOld) =>
      results.flatMap(({ outcome }) => (outcome.kind === 'kept' ? [outcome.reason] : []))

    expect(reasonOf(besideOld)).toEqual([expect.stringMatching(/"orders" has 1 consumer/)])
    expect(reasonOf(withMessage)).toEqual([expect.stringMatching(/holds (1 message|an unknown)/)])
    expect(await queues()).toContain('orders.retry.2s')
    await eventually(
      async () => expect(await next.apply({ leftovers: 'remove-empty' })).toMatchObject({ kept: 0 }),
      { timeoutMs: 60_000 },
    )
    expect(await queues()).toEqual(['orders', 'orders.dlq', 'orders.retry.1s', 'orders.retry.3s'])
  })
})

describe('a release that would have to change what stands', () => {
  it('is refused before its first step, and nothing is half done', async () => {
    const { release, queues } = await setup()
    await (await release(orders('1s'))).apply()
    const before = await queues()
    const other = defineTopology({ queues: { orders: { type: 'classic' }, invoices: {} } })

    const error: unknown = await (await release(other)).apply().catch((refused: unknown) => refused)

    expect(error).toBeInstanceOf(DeploymentError)
    expect(error).toMatchObject({ code: 'DEPLOYMENT_REFUSED', report: undefined })
    expect(String(error)).toMatch(/Nothing was changed/)
    expect(await queues()).toEqual(before)
  })

  it('an unknown way to treat leftovers is refused', async () => {
    const { release } = await setup()
    const warren = await release(orders('1s'))

    await expect(warren.apply({ leftovers: 'delete' as 'keep' })).rejects.toThrow(/'keep' or 'remove-empty'/)
  })
})
