import { describe, expect, it, onTestFinished } from 'vitest'
import { parseAmqpUrl } from '../../../src/broker/amqp/parse-amqp-url.ts'
import type { ConsumerOptions } from '../../../src/consumer/consumer-options.ts'
import type { Handler } from '../../../src/consumer/handler.ts'
import { defer, reject } from '../../../src/consumer/handler-answer.ts'
import { createVirtualClock } from '../../../src/embedded/model/virtual-clock.ts'
import { brokerCapabilities } from '../../../src/message/broker-capabilities.ts'
import { parseBrokerVersion } from '../../../src/message/broker-version.ts'
import type { LayoutName } from '../../../src/topology/layouts/layout-names.ts'
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
}

/** A quorum queue with the limit that RabbitMQ gives it, whose consumer comes through a proxy. */
async function setup({ layout = 'warren', exact = false, isPlain = false }: Case) {
  made += 1
  const name = `limit-${made}`
  const proxy = await startProxy({ target: parseAmqpUrl(broker.url)[0]!.port })
  onTestFinished(() => proxy.close())
  const queue = isPlain ? ({ deadLetter: false } as const) : { retry: false as const }
  const rig = await createConsumerRig({
    url: broker.url,
    consumingUrl: proxy.urlFor(broker.url),
    declaration: { layout, exact, queues: { [name]: queue } },
  })
  return { ...rig, name, proxy }
}

/** A consumer whose handler breaks its line so many times, as a crash of its process would, and then works. */
async function startDying(parts: Case, { times, ...options }: ConsumerOptions & { readonly times: number }) {
  const rig = await setup(parts)
  const { name, proxy } = rig
  let runs = 0
  let lineLost = (_cause: Error): void => {}
  const dies: Handler = () => {
    runs += 1
    if (runs > times) return undefined
    proxy.cutAll()
    return new Promise((_, fail) => {
      lineLost = fail
    })
  }
  const consumer = await rig.consume(name, dies, options)
  consumer.events.on('consumer.interrupted', () => lineLost(new Error('gone with the line')))
  const settled = collect(consumer, 'delivery.settled')
  const limited = collect(consumer, 'consumer.limited')
  await rig.publisher.publish({ key: name, body: 'deadly' })
  return { ...rig, consumer, settled, limited, runs: () => runs }
}

describe('a message that ends its consumer more often than the limit allows', () => {
  it.each([
    ['a plain queue', { isPlain: true }],
    ['the exact form of ratatoskr', { layout: 'ratatoskr', exact: true }],
  ] as readonly [string, Case][])('is not lost in %s', async (_, parts) => {
    const options = { times: often, poisonLimit: false } as const
    const { consumer, name, depth, runs, settled } = await startDying(parts, options)

    await eventually(() => expect(settled.at(-1)?.outcome.kind).toBe('acknowledge'), { timeoutMs: 30_000 })
    expect(runs()).toBe(often + 1)
    const recounts = settled.filter(({ outcome }) => outcome.kind === 'recount')
    expect(recounts.length > 0).toBe(hasDefaultLimit)
    expect(recounts.map(({ durationMs }) => durationMs)).toEqual(recounts.map(() => undefined))
    await consumer.close()
    expect(await depth(name)).toBe(0)
  })

  it.runIf(hasDefaultLimit)('is deleted where the consumer was told that there is no limit', async () => {
    const options = { times: often, poisonLimit: false, deliveryLimit: false } as const
    const { runs, settled, name, depth } = await startDying({ isPlain: true }, options)

    await eventually(() => expect(runs()).toBe(21), { timeoutMs: 30_000 })
    await eventually(async () => expect(await depth(name)).toBe(0))
    expect([runs(), settled]).toEqual([21, []])
  })
})

describe('a message that is given back more often than the limit allows', () => {
  it.each([
    ['because it fails in a plain queue', { isPlain: true }, () => reject('no')],
    ['because it waits in layout warren', {}, () => defer('90d')],
  ] as readonly [string, Case, Handler][])('%s, is kept', async (_, parts, handler) => {
    const { consume, name, publisher, depth } = await setup(parts)
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

  it('says it before anything comes, where the user names the limit', async () => {
    const { consume, name } = await setup({ isPlain: true })
    const consumer = await consume(name, () => undefined, { deliveryLimit: 5 })
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
