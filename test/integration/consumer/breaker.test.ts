import { describe, expect, it } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { collect, createConsumerRig } from './consumer-rig.ts'

const broker = await useBroker()
let made = 0

/**
 * A queue whose messages f1 and f2 have opened the breaker of its consumer; all else fails, too, until it is mended.
 * Those that begin with a or b have that for their key.
 */
async function setup(...bodiesBehind: string[]) {
  made += 1
  const name = `breaker-${made}`
  const declaration = { queues: { [name]: { retry: false } } } as const
  const rig = await createConsumerRig({ url: broker.url, declaration })
  const publish = (body: string, headers = {}) =>
    rig.publisher.publish({
      key: name,
      body,
      messageId: body,
      headers,
      contentType: body.startsWith('{') ? 'application/json' : 'text/plain',
    })
  // Before there is a consumer, so that all are delivered together.
  for (const body of ['f1', 'f2', ...bodiesBehind]) await publish(body)
  const ran: unknown[] = []
  let isOut = true
  const consumer = await rig.consume(
    name,
    ({ body }) => {
      ran.push(body)
      if (isOut) throw new Error('the database is away')
    },
    {
      concurrency: 1,
      prefetch: 10,
      orderBy: ({ id }) => id?.match(/^[ab]/)?.[0],
      breaker: { failureRatio: 0.5, minimumResults: 2, openMs: 5, maxOpenMs: 20 },
    },
  )
  const [settled, held, changes] = [
    collect(consumer, 'delivery.settled'),
    collect(consumer, 'delivery.held'),
    collect(consumer, 'breaker.changed'),
  ]
  await eventually(() => expect(changes[0]).toMatchObject({ from: 'closed', to: 'open' }))
  const mend = () => {
    isOut = false
  }
  return { ...rig, name, publish, consumer, ran, mend, settled, held, changes }
}

describe('a breaker that failures have opened', () => {
  it.each([
    ['too early for its handler', 'odd', () => ({ 'warren-deferred-until': Date.now() + 25_000 }), 'hold'],
    ['poisonous', 'odd', () => ({ 'warren-suspect': 100 }), 'dead-letter'],
    ['not to be decoded', '{"odd":', () => ({}), 'dead-letter'],
  ])('is not closed by a message that is %s', async (_, body, headersNow, outcome) => {
    const { publish, consumer, ran, mend, settled, held, changes, depth, name } = await setup()

    await publish(body, headersNow())
    const isOdd = ({ message }: { message: { id: string | undefined } }) => message.id === body
    await eventually(() => expect([...held, ...settled].find(isOdd)?.outcome.kind).toBe(outcome))
    await publish('next')

    // The next one is tried out, and fails: things do not work again.
    await eventually(() => expect(held.filter(({ message }) => message.id === 'next')).not.toEqual([]))
    expect(changes.map(({ to }) => to)).not.toContain('closed')
    mend()
    await eventually(() => expect(settled.at(-1)).toMatchObject({ outcome: { kind: 'acknowledge' } }))
    expect(consumer.breaker).toBe('closed')
    expect(ran.at(-1)).toBe('next')
    expect(await depth(`${name}.dlq`)).toBe(outcome === 'hold' ? 2 : 3)
  })

  it('tries the first of a key until it is done, and none of those behind it before', async () => {
    const { ran, mend, held, settled, consumer, depth, name } = await setup('a1', 'a2', 'a3')

    await eventually(() => expect(held.length).toBeGreaterThanOrEqual(4))
    expect(new Set(held.map(({ message }) => message.id))).toEqual(new Set(['a1']))
    expect(consumer.counts.held).toBe(0)
    mend()

    await eventually(() => expect(settled).toHaveLength(5))
    const firstSights = ran.filter((body, index) => ran.indexOf(body) === index)
    expect(firstSights).toEqual(['f1', 'f2', 'a1', 'a2', 'a3'])
    expect(ran.slice(ran.indexOf('a2'))).toEqual(['a2', 'a3'])
    await consumer.close()
    expect(await depth(name)).toBe(0)
  })

  it('tries another key when the first of one has failed, which may be to blame itself', async () => {
    const { mend, held, settled, consumer } = await setup('a1', 'b1')

    await eventually(() =>
      expect(new Set(held.map(({ message }) => message.id))).toEqual(new Set(['a1', 'b1'])),
    )
    mend()

    await eventually(() => expect(settled).toHaveLength(4))
    expect(consumer.breaker).toBe('closed')
  })
})
