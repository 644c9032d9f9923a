import { describe, expect, it } from 'vitest'
import { defer, reject, retry } from '../../../packages/warrenmq/src/consumer/handler-answer.ts'
import type {
  LayoutChoice,
  TopologyDeclaration,
} from '../../../packages/warrenmq/src/topology/declaration.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { collect, createConsumerRig } from './consumer-rig.ts'

const broker = await useBroker()
let made = 0

interface Case {
  readonly layout: LayoutChoice
  readonly exact?: boolean
}

const cases: readonly (readonly [string, Case])[] = [
  ['warren', { layout: 'warren' }],
  ['ratatoskr', { layout: 'ratatoskr' }],
  ['ratatoskr, exact', { layout: 'ratatoskr', exact: true }],
  ['event-bus', { layout: 'event-bus' }],
  ['event-bus, exact', { layout: 'event-bus', exact: true }],
  ['freeflow', { layout: 'freeflow' }],
  ['freeflow, exact', { layout: 'freeflow', exact: true }],
  ['isolated', { layout: 'isolated' }],
  ['isolated, exact', { layout: 'isolated', exact: true }],
]

/** One queue of the layout with three attempts, a millisecond apart, in names of its own. */
async function setup({ layout, exact = false }: Case, maxAttempts = 3) {
  made += 1
  const name = layout === 'freeflow' ? `ff${made}.orders` : `svc-${made}`
  const options = layout === 'freeflow' ? { name: layout, namespace: `ff${made}` } : layout
  const bind =
    layout === 'freeflow' || layout === 'event-bus' ? {} : { bind: [{ exchange: 'events', key: 'order.*' }] }
  const declaration: TopologyDeclaration = {
    layout: options,
    exact,
    exchanges: { events: { type: 'topic' } },
    queues: { [name]: { ...bind, retry: { delays: [30], maxAttempts } } },
  }
  const rig = await createConsumerRig({ url: broker.url, declaration })
  const flow = rig.flow(name)
  const publish = (body: unknown, more: object = {}) =>
    rig.publisher.publish({ key: flow.queue, body, messageId: `m-${made}`, ...more })
  return { ...rig, name, flow, publish, dlq: flow.deadLetterQueue! }
}

describe.each(cases)('layout %s', (_, layout) => {
  it('a message that fails twice is handled at its third attempt and nothing of it is left', async () => {
    const { consume, name, flow, publish, depth, dlq } = await setup(layout)
    const attempts: number[] = []
    const consumer = await consume(name, (message, { attempt }) => {
      attempts.push(attempt)
      if (attempt < 3) throw new Error(`not yet, ${message.id}`)
    })
    const settled = collect(consumer, 'delivery.settled')

    await publish({ order: 1 })

    await eventually(() =>
      expect(settled.map(({ outcome }) => outcome.kind)).toEqual(['retry', 'retry', 'acknowledge']),
    )
    expect(attempts).toEqual([1, 2, 3])
    await consumer.close()
    for (const queue of [flow.queue, dlq, ...flow.waitQueues]) expect(await depth(queue)).toBe(0)
  })

  it('a message that fails its last attempt is dead-lettered once', async () => {
    const { consume, name, flow, publish, depth, drain, dlq } = await setup(layout)
    const attempts: number[] = []
    const consumer = await consume(name, (_message, { attempt }) => {
      attempts.push(attempt)
      throw new TypeError('the price is missing')
    })
    const settled = collect(consumer, 'delivery.settled')

    await publish({ order: 2 }, { headers: { tenant: 'a' } })

    await eventually(() => expect(settled).toHaveLength(3))
    expect(attempts).toEqual([1, 2, 3])
    await consumer.close()
    expect(await depth(flow.queue)).toBe(0)
    const [dead, ...others] = await eventually(async () => {
      const messages = await drain(dlq)
      return messages.length > 0 && messages
    })
    expect(others).toEqual([])
    expect(dead).toMatchObject({ id: `m-${made}`, body: '{"order":2}', headers: { tenant: 'a' } })
    if (flow.park?.kind === 'publish') {
      expect(dead!.headers).toMatchObject({
        'x-original-queue': flow.queue,
        'x-original-exchange': '',
        'x-original-routing-key': flow.queue,
        'x-final-error': 'the price is missing',
        'x-final-retry-count': 2,
        'warren-reason': 'attempts-exhausted',
        'warren-error-type': 'TypeError',
        [flow.headers.attempts]: 3,
      })
      expect(dead!.headers['warren-cause']).toMatch(/^[0-9a-f]{12}$/)
      expect(Array.isArray(dead!.headers['x-death'])).toBe(true)
    }
  })

  it('a message that fails more often than the poison limit is no poison', async () => {
    const { consume, name, publish, dlq, depth } = await setup(layout, 14)
    const attempts: number[] = []
    const consumer = await consume(name, (_, { attempt }) => {
      attempts.push(attempt)
      return retry()
    })
    const settled = collect(consumer, 'delivery.settled')

    await publish('stubborn')

    await eventually(() => expect(settled.at(-1)?.outcome).toMatchObject({ reason: 'attempts-exhausted' }))
    expect(attempts).toEqual(Array.from({ length: 14 }, (__, index) => index + 1))
    await eventually(async () => expect(await depth(dlq)).toBe(1))
  })

  it('a rejected message is dead-lettered at once, with the reason', async () => {
    const { consume, name, flow, publish, drain, dlq } = await setup(layout)
    const consumer = await consume(name, () => reject('no such customer'))
    const settled = collect(consumer, 'delivery.settled')

    await publish('x')

    await eventually(() => expect(settled).toHaveLength(1))
    const [dead] = await eventually(async () => {
      const messages = await drain(dlq)
      return messages.length > 0 && messages
    })
    expect(dead!.body).toBe('x')
    if (flow.park?.kind === 'publish') {
      expect(dead!.headers).toMatchObject({
        'x-final-error': 'no such customer',
        'x-final-retry-count': 0,
        'warren-reason': 'rejected-by-handler',
      })
    }
  })

  it('a deferred message costs no attempt', async () => {
    const { consume, name, publish, dlq, depth } = await setup(layout)
    const seen: number[] = []
    const consumer = await consume(name, (_message, { attempt }) => {
      seen.push(attempt)
      if (seen.length === 1) return retry()
      return seen.length < 5 ? defer(20) : undefined
    })
    const settled = collect(consumer, 'delivery.settled')

    await publish('later')

    await eventually(() => expect(settled.at(-1)?.outcome.kind).toBe('acknowledge'))
    expect(seen).toEqual([1, 2, 2, 2, 2])
    expect(await depth(dlq)).toBe(0)
  })

  // The document of event-bus sleeps and requeues, whatever the wait.
  const hasTiers = !(layout.layout === 'event-bus' && layout.exact)
  it.runIf(hasTiers)('a message that waits in a tier for its time keeps its count of attempts', async () => {
    const { consume, name, publish, flow, dlq, depth } = await setup(layout)
    expect(flow.defer.tiers).not.toEqual([])
    const seen: number[] = []
    const consumer = await consume(
      name,
      (_message, { attempt }) => {
        seen.push(attempt)
        if (seen.length === 1) return retry()
        return seen.length === 2 ? defer(100) : undefined
      },
      { holdUpTo: 10 },
    )
    const settled = collect(consumer, 'delivery.settled')

    await publish('much later')

    await eventually(() => expect(settled.at(-1)?.outcome.kind).toBe('acknowledge'))
    expect(seen).toEqual([1, 2, 2])
    expect(settled.map(({ outcome }) => outcome.kind)).toContain('defer')
    expect(await depth(dlq)).toBe(0)
  })
})

// FreeFlow returns through the topic exchange by design, so its retries are seen by every queue of the domain.
describe.each(['warren', 'ratatoskr', 'event-bus', 'isolated'] as const)(
  'two queues of one exchange, layout %s',
  (layout) => {
    it('a retry of one is never seen by the other', async () => {
      made += 1
      const [failing, other] = [`pair${made}-failing`, `pair${made}-other`]
      const exchange = layout === 'event-bus' ? `pair${made}.main-exchange` : 'events'
      const queue = {
        ...(layout === 'event-bus' ? {} : { bind: [{ exchange, key: 'order.*' }] }),
        retry: { delays: [10], maxAttempts: 3 },
      }
      const exchanges = { events: { type: 'topic' } } as const
      const declaration = { layout, exchanges, queues: { [failing]: queue, [other]: queue } }
      const { consume, publisher, flow, depth } = await createConsumerRig({ url: broker.url, declaration })
      const seen: string[] = []
      await consume(failing, (_, { attempt }) => {
        seen.push(`failing ${attempt}`)
        throw new Error('no')
      })
      await consume(other, ({ routingKey }, { attempt }) => void seen.push(`other ${attempt} ${routingKey}`))

      await publisher.publish({ exchange, key: 'order.placed', body: 'x' })

      await eventually(async () => expect(await depth(flow(failing).deadLetterQueue!)).toBe(1))
      expect(seen.toSorted()).toEqual(['failing 1', 'failing 2', 'failing 3', 'other 1 order.placed'])
      expect(await depth(flow(other).deadLetterQueue!)).toBe(0)
    })
  },
)
