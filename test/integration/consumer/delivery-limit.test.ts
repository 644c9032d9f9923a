import { describe, expect, it, onTestFinished } from 'vitest'
import { parseAmqpUrl } from '../../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import type { ConsumerOptions } from '../../../packages/warrenmq/src/consumer/consumer-options.ts'
import type { Handler } from '../../../packages/warrenmq/src/consumer/handler.ts'
import { defer, reject } from '../../../packages/warrenmq/src/consumer/handler-answer.ts'
import { createVirtualClock } from '../../../packages/warrenmq/src/embedded/model/virtual-clock.ts'
import { brokerCapabilities } from '../../../packages/warrenmq/src/message/broker-capabilities.ts'
import { parseBrokerVersion } from '../../../packages/warrenmq/src/message/broker-version.ts'
import type { LayoutName } from '../../../packages/warrenmq/src/topology/layouts/layout-names.ts'
import type { PlainTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { eventually } from '../../support/eventually.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { useBroker } from '../../support/use-broker.ts'
import { collect, createConsumerRig } from './consumer-rig.ts'

const broker = await useBroker()
const capabilities = brokerCapabilities(parseBrokerVersion(broker.version))
const hasDefaultLimit = capabilities.defaultDeliveryLimit !== undefined
/** More than the limit of 20, and half as many again. */
const often = 33
const minute = 60_000
let made = 0

interface Case {
  readonly layout?: LayoutName
  readonly exact?: boolean
  readonly isPlain?: boolean
  /** Of a plain queue, as it is declared. */
  readonly limit?: number
  readonly publishingUrl?: string
}

/** A quorum queue with the limit that RabbitMQ gives it, or one of its own, whose consumer comes through a proxy. */
async function setup({ layout = 'warren', exact = false, isPlain = false, limit, publishingUrl }: Case) {
  made += 1
  const name = `limit-${made}`
  const proxy = await startProxy({ target: parseAmqpUrl(broker.url)[0]!.port })
  onTestFinished(() => proxy.close())
  const args = limit === undefined ? {} : { 'x-delivery-limit': limit }
  const queue = isPlain ? ({ deadLetter: false, arguments: args } as const) : { retry: false as const }
  const rig = await createConsumerRig({
    url: broker.url,
    consumingUrl: proxy.urlFor(broker.url),
    publishingUrl: publishingUrl ?? broker.url,
    declaration: { layout, exact, queues: { [name]: queue } },
  })
  return { ...rig, name, proxy }
}

/** A consumer whose handler breaks its connection so many times, as a crash of its process would, and then works. */
async function startDying(
  parts: Case,
  {
    times,
    headers = {},
    ...options
  }: ConsumerOptions & { readonly times: number; readonly headers?: PlainTable },
) {
  const rig = await setup(parts)
  const { name, proxy } = rig
  let runs = 0
  let connectionLost = (_cause: Error): void => {}
  const dies: Handler = () => {
    runs += 1
    if (runs > times) return undefined
    proxy.cutAll()
    return new Promise((_, fail) => {
      connectionLost = fail
    })
  }
  const consumer = await rig.consume(name, dies, options)
  consumer.events.on('consumer.interrupted', () => connectionLost(new Error('gone with the connection')))
  const settled = collect(consumer, 'delivery.settled')
  const limited = collect(consumer, 'consumer.limited')
  const failures = collect(consumer, 'settle.failed')
  const breaker = collect(consumer, 'breaker.changed')
  await rig.publisher.publish({ key: name, body: 'deadly', headers })
  return { ...rig, consumer, settled, limited, failures, breaker, runs: () => runs }
}

/** The address of a user who may not publish. */
async function createReader(): Promise<string> {
  const user = `reader-${broker.vhost}`
  await broker.management('PUT', `/api/users/${user}`, { password: 'reads', tags: '' })
  onTestFinished(() => broker.management('DELETE', `/api/users/${user}`))
  const permissions = { configure: '.*', write: '^$', read: '.*' }
  await broker.management('PUT', `/api/permissions/${broker.vhost}/${user}`, permissions)
  const url = new URL(broker.url)
  url.username = user
  url.password = 'reads'
  return String(url)
}

describe('a message that ends its consumer more often than the limit allows', () => {
  it.each([
    ['a plain queue', { isPlain: true }],
    ['the exact form of ratatoskr', { layout: 'ratatoskr', exact: true }],
  ] as readonly [string, Case][])('is not lost in %s', async (_, parts) => {
    const options = { times: often, poisonLimit: false } as const
    const { consumer, name, depth, runs, settled } = await startDying(parts, options)

    await eventually(() => expect(settled.at(-1)?.outcome.kind).toBe('acknowledge'))
    expect(runs()).toBe(often + 1)
    const recounts = settled.filter(({ outcome }) => outcome.kind === 'recount')
    expect(recounts.length > 0).toBe(hasDefaultLimit)
    expect(recounts.map(({ durationMs }) => durationMs)).toEqual(recounts.map(() => undefined))
    await consumer.close()
    expect(await depth(name)).toBe(0)
  })

  it('is not lost in a plain queue that was declared with a limit, and runs again as often as it comes', async () => {
    const parts = { isPlain: true, limit: 4 }
    const { consumer, name, depth, runs, settled } = await startDying(parts, { times: 13 })

    await eventually(() => expect(settled.at(-1)?.outcome.kind).toBe('acknowledge'))
    expect(runs()).toBeGreaterThanOrEqual(14)
    // Thirteen returns, and at most four for each copy. There are more copies where an acknowledgement was lost with
    // the connection, and fewer than one for two returns where such a message takes its turn.
    const recounts = settled.filter(({ outcome }) => outcome.kind === 'recount')
    expect(recounts.length).toBeGreaterThanOrEqual(3)
    await eventually(() => expect(consumer.counts).toEqual({ waiting: 0, running: 0, held: 0 }))
    await consumer.close()
    expect(await depth(name)).toBe(0)
  })

  it.each([
    ['does not fit', () => `${broker.url}?frame_max=8192`],
    ['is refused', createReader],
  ])('is handled as it is where its copy %s, and stops no other', async (_, urlOf) => {
    const parts = { isPlain: true, limit: 2, publishingUrl: await urlOf() }
    const options = { times: 1, headers: { own: 'x'.repeat(9_000) } }
    const { settled, failures, breaker, runs } = await startDying(parts, options)

    await eventually(() => expect(settled.map(({ outcome }) => outcome.kind)).toEqual(['acknowledge']))
    expect(failures.map(({ outcome }) => outcome)).toMatchObject([{ kind: 'recount', why: 'near-limit' }])
    expect([runs(), breaker]).toEqual([2, []])
  })

  it.runIf(hasDefaultLimit)('is deleted where the consumer was told that there is no limit', async () => {
    const options = { times: often, poisonLimit: false, deliveryLimit: false } as const
    const { runs, settled, name, depth } = await startDying({ isPlain: true }, options)

    await eventually(() => expect(runs()).toBe(21))
    await eventually(async () => expect(await depth(name)).toBe(0))
    expect([runs(), settled]).toEqual([21, []])
  })
})

describe('a message that is given back more often than the limit allows', () => {
  it.each([
    ['because it fails in a plain queue', { isPlain: true }, () => reject('no')],
    ['because it fails in a queue with a limit of its own', { isPlain: true, limit: 20 }, () => reject('no')],
    ['because it waits in layout warren', {}, () => defer('90d')],
  ] as readonly [string, Case, Handler][])('%s, is kept', async (_, parts, handler) => {
    const { consume, name, publisher, depth, proxy } = await setup(parts)
    const clock = createVirtualClock(Date.now())
    const consumer = await consume(name, handler, { clock })
    const settled = collect(consumer, 'delivery.settled')
    const timesGivenBack = () => settled.filter(({ outcome }) => outcome.kind === 'give-back').length

    await publisher.publish({ key: name, body: 'kept', messageId: `m-${name}` })
    for (let round = 0; round < often; round += 1) {
      await eventually(() => expect(consumer.counts).toEqual({ waiting: 0, running: 0, held: 1 }))
      for (const untilMs = clock.now() + 24 * minute; clock.step(untilMs); );
    }

    await eventually(() => expect(timesGivenBack()).toBe(often))
    await eventually(() => expect(consumer.counts.held).toBe(1))
    expect(await depth(name)).toBe(0)
    // No copy is taken for an earlier one, whose acknowledgement may be lost with the connection.
    const interrupted = collect(consumer, 'consumer.interrupted')
    proxy.cutAll()
    await eventually(() => expect(interrupted).toHaveLength(1))
    await eventually(() => expect(consumer.counts.held).toBe(1))
    await consumer.close()
    await eventually(async () => expect(await depth(name)).toBe(1))
  })
})

describe('a consumer of a plain queue', () => {
  it('says what its limit does as soon as it can know of it, and once', async () => {
    const warnings: Error[] = []
    const listen = (warning: Error) => warnings.push(warning)
    process.on('warning', listen)
    onTestFinished(() => void process.off('warning', listen))

    const { limited, settled, name } = await startDying({ isPlain: true }, { times: 3 })

    await eventually(() => expect(settled).toHaveLength(1))
    expect(limited).toEqual(hasDefaultLimit ? [{ queue: name, deliveryLimit: 20 }] : [])
    const ofLimit = warnings.filter((each) => 'code' in each && each.code === 'WARREN_DELIVERY_LIMIT')
    expect(ofLimit).toHaveLength(hasDefaultLimit ? 1 : 0)
  })

  it.each([
    ['the user names the limit', {}, { deliveryLimit: 5 }],
    ['the queue is declared with it', { limit: 5 }, {}],
  ] as const)('says it before anything comes, where %s', async (_, parts, options) => {
    const { consume, name } = await setup({ isPlain: true, ...parts })
    const consumer = await consume(name, () => undefined, options)
    const limited = collect(consumer, 'consumer.limited')

    await eventually(() => expect(limited).toEqual([{ queue: name, deliveryLimit: 5 }]))
  })

  it('says nothing where there is no limit', async () => {
    const options = { times: 2, deliveryLimit: false } as const
    const { limited, settled } = await startDying({ isPlain: true }, options)

    await eventually(() => expect(settled).toHaveLength(1))
    expect(limited).toEqual([])
  })
})
