import { describe, expect, it, onTestFinished } from 'vitest'
import {
  declareQueue,
  deleteExchange,
  deleteQueue,
  unbindQueue,
} from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { parseAmqpUrl } from '../../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import { openManagement } from '../../../packages/warrenmq/src/broker/management/open-management.ts'
import type { Consumer } from '../../../packages/warrenmq/src/consumer/consumer.ts'
import type { ConsumerOptions } from '../../../packages/warrenmq/src/consumer/consumer-options.ts'
import { startConsumer } from '../../../packages/warrenmq/src/consumer/start-consumer.ts'
import { createWayLook, type WayLook } from '../../../packages/warrenmq/src/consumer/way-out/way-look.ts'
import { connect, defineTopology } from '../../../packages/warrenmq/src/index.ts'
import type { LayoutChoice } from '../../../packages/warrenmq/src/topology/declaration.ts'
import { toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { eventually } from '../../support/eventually.ts'
import { startProxy } from '../../support/start-proxy.ts'
import { createVhost, useBroker } from '../../support/use-broker.ts'
import { createConsumerRig, declareTopology } from './consumer-rig.ts'

const broker = await useBroker()
let made = 0

type Rig = Awaited<ReturnType<typeof setup>>

function lookByRealManagement(): WayLook {
  const { username, password } = broker
  const url = Object.assign(new URL(broker.managementUrl), { username, password }).href
  const management = openManagement(url)
  return createWayLook(() => management)
}

/** A queue of two attempts in the given layout, whose consumers reach the broker through a proxy. */
async function setup({
  layout,
  exact,
  wayLook = lookByRealManagement(),
  consumingUrl,
}: {
  readonly layout: LayoutChoice
  readonly exact: boolean
  readonly wayLook?: WayLook | undefined
  readonly consumingUrl?: string
}) {
  made += 1
  const name = layout === 'freeflow' ? `ff${made}.orders` : `way-${made}`
  const choice = layout === 'freeflow' ? { name: layout, namespace: `ff${made}` } : layout
  const proxy = await startProxy({ target: parseAmqpUrl(broker.url)[0]!.port })
  onTestFinished(() => proxy.close())
  const rig = await createConsumerRig({
    url: broker.url,
    consumingUrl: proxy.urlFor(consumingUrl ?? broker.url),
    declaration: { layout: choice, exact, queues: { [name]: { retry: { delays: [20], maxAttempts: 2 } } } },
  })
  const flow = rig.flow(name)
  const work = rig.topology.queues.find((queue) => queue.name === flow.queue)!
  const publish = (messageId: string) => rig.publisher.publish({ key: flow.queue, body: 'x', messageId })
  return { ...rig, name, flow, work, proxy, publish, wayLook }
}

/** Begins a consumer whose handler fails every time, and tells what becomes of it. */
function begin(rig: Rig, options: ConsumerOptions = {}) {
  const runs: (string | undefined)[] = []
  const consumer: Consumer = startConsumer({
    consuming: rig.consuming,
    publishing: rig.consuming,
    flow: rig.flow,
    wayLook: rig.wayLook,
    options,
    handler: ({ id }) => {
      runs.push(id)
      throw new Error('always')
    },
  })
  const told: string[] = []
  consumer.events.on('consumer.started', () => told.push('started'))
  consumer.events.on('consumer.interrupted', () => told.push('interrupted'))
  consumer.events.on('consumer.unproved', () => told.push('unproved'))
  consumer.events.on('consumer.start-failed', ({ error }) =>
    told.push((error as { code?: string }).code ?? ''),
  )
  onTestFinished(() => consumer.close({ deadline: 0 }))
  return { consumer, runs, told }
}

/** What the process is told under one code. */
function listen(code: string): Error[] {
  const warnings: Error[] = []
  const keep = (warning: Error & { code?: string }) => {
    if (warning.code === code) warnings.push(warning)
  }
  process.on('warning', keep)
  onTestFinished(() => {
    process.off('warning', keep)
  })
  return warnings
}

interface Damage {
  readonly title: string
  readonly needsExchange?: true
  readonly harm: (rig: Rig) => Promise<unknown>
  readonly mend?: (rig: Rig) => Promise<unknown>
}

const deadLetterExchange = ({ work }: Rig) => work.arguments['x-dead-letter-exchange'] as string
const makeBare = async ({ admin, topology }: Rig, queue: string) => {
  const { type } = topology.queues.find(({ name }) => name === queue)!
  await deleteQueue(admin, queue)
  await declareQueue(admin, { queue, arguments: toFieldTable({ 'x-queue-type': type }) })
}

const damages: readonly Damage[] = [
  {
    title: 'whose dead-letter exchange is gone',
    needsExchange: true,
    harm: (rig) => deleteExchange(rig.admin, deadLetterExchange(rig)),
  },
  {
    title: 'whose dead-letter exchange leads nowhere',
    needsExchange: true,
    harm: async (rig) => {
      for (const { source, destination, key } of rig.topology.bindings)
        if (source === deadLetterExchange(rig))
          await unbindQueue(rig.admin, { queue: destination, exchange: source, routingKey: key })
    },
  },
  {
    title: 'whose wait queue is gone',
    harm: ({ admin, flow }) => deleteQueue(admin, flow.waitQueues[0]!),
  },
  {
    title: 'whose wait queue was made again without its arguments',
    harm: (rig) => makeBare(rig, rig.flow.waitQueues[0]!),
    mend: (rig) => deleteQueue(rig.admin, rig.flow.waitQueues[0]!),
  },
  {
    title: 'that was made again without its arguments',
    harm: (rig) => makeBare(rig, rig.flow.queue),
    mend: async (rig) => {
      expect(await deleteQueue(rig.admin, rig.flow.queue)).toBe(1)
      await declareTopology(rig.admin, rig.topology)
      await rig.publish('m')
    },
  },
]

async function mend(rig: Rig, damage: Damage): Promise<void> {
  await damage.mend?.(rig)
  await declareTopology(rig.admin, rig.topology)
}

const layouts: readonly (readonly [LayoutChoice, boolean])[] = [
  ['event-bus', true],
  ['isolated', true],
  ['freeflow', true],
  ['ratatoskr', true],
  ['ratatoskr', false],
  ['warren', false],
]

/** Its message went the whole way: two attempts, then the dead-letter queue, and nowhere else. */
async function expectKept(rig: Rig, runs: readonly unknown[]): Promise<void> {
  await eventually(async () => expect(await rig.depth(rig.flow.deadLetterQueue!)).toBe(1), {
    timeoutMs: 30_000,
  })
  expect(runs).toEqual(['m', 'm'])
  expect(await rig.depth(rig.flow.queue)).toBe(0)
}

describe.each(layouts)('in the layout %s (exact: %s)', (layout, exact) => {
  const fitting = damages.filter(({ needsExchange }) => !needsExchange || layout !== 'ratatoskr')
  for (const damage of fitting) {
    it(`a consumer of a queue ${damage.title} takes nothing until that is mended`, async () => {
      const rig = await setup({ layout, exact })
      await damage.harm(rig)
      await rig.publish('m')

      const { consumer, runs, told } = begin(rig)
      await eventually(() =>
        expect(told.filter((each) => each === 'WAY_OUT_BROKEN').length).toBeGreaterThan(1),
      )
      expect(runs).toEqual([])
      expect(await rig.depth(rig.flow.queue)).toBe(1)
      await mend(rig, damage)
      await consumer.whenStarted()

      await expectKept(rig, runs)
    }, 60_000)

    it(`a consumer that comes back to a queue ${damage.title} takes nothing until that is mended`, async () => {
      const rig = await setup({ layout, exact })
      const { consumer, runs, told } = begin(rig)
      await consumer.whenStarted()

      rig.proxy.refuse()
      await damage.harm(rig)
      rig.proxy.cutAll()
      await rig.publish('m')
      await rig.proxy.accept()
      await eventually(() => expect(told).toContain('WAY_OUT_BROKEN'))
      expect(runs).toEqual([])
      expect(await rig.depth(rig.flow.queue)).toBe(1)
      await mend(rig, damage)

      await expectKept(rig, runs)
      expect(told).not.toContain('unproved')
    }, 60_000)
  }
})

it('a policy makes up for the arguments that a queue lacks', async () => {
  const rig = await setup({ layout: 'ratatoskr', exact: true })
  await makeBare(rig, rig.flow.queue)
  await rig.publish('m')
  const { consumer, runs, told } = begin(rig)
  await eventually(() => expect(told).toContain('WAY_OUT_BROKEN'))

  const definition = { 'dead-letter-exchange': '', 'dead-letter-routing-key': `${rig.name}.retry` }
  const policy = { pattern: `^${rig.name}$`, definition, 'apply-to': 'queues' }
  await broker.management('PUT', `/api/policies/${broker.vhost}/${rig.name}`, policy)
  await consumer.whenStarted()

  await expectKept(rig, runs)
}, 60_000)

it('what is missing is not made by looking for it', async () => {
  const rig = await setup({ layout: 'ratatoskr', exact: false })
  await deleteQueue(rig.admin, `${rig.name}.retry`)
  const { told } = begin(rig)

  await eventually(() => expect(told.length).toBeGreaterThan(2))

  const queues = await broker.management<{ name: string }[]>('GET', `/api/queues/${broker.vhost}`)
  expect(queues.map(({ name }) => name)).not.toContain(`${rig.name}.retry`)
})

describe('without a management API', () => {
  const nobody: WayLook = { look: () => Promise.reject(new Error('nobody answers')) }

  it.each([
    ['event-bus', true],
    ['isolated', true],
    ['freeflow', true],
  ] as const)(
    'a consumer in the layout %s begins, and says once that nothing is proved',
    async (layout, exact) => {
      const warnings = listen('WARREN_WAY_OUT_UNPROVED')
      const rig = await setup({ layout, exact, wayLook: nobody })

      const { consumer, told } = begin(rig)
      await consumer.whenStarted()
      rig.proxy.cutAll()
      await eventually(() => expect(told.filter((each) => each === 'unproved')).toHaveLength(2))
      await consumer.whenStarted()

      expect(warnings).toHaveLength(1)
      expect(warnings[0]!.message).toContain(
        `begins without a proof that failed messages are kept: it cannot see whether a`,
      )
      expect(warnings[0]!.message).toContain('managementUrl')
    },
  )

  it('a listener that is added when consume() resolves hears that nothing is proved', async () => {
    made += 1
    const name = `heard-${made}`
    const queues = { [name]: { retry: { delays: [20], maxAttempts: 2 } } }
    const topology = defineTopology({ layout: 'isolated', exact: true, queues })
    await createConsumerRig({ url: broker.url, declaration: topology })
    const warren = await connect(broker.url, { topology, managementUrl: 'http://127.0.0.1:9' })
    onTestFinished(() => warren.close())

    const consumer = await warren.consume(name, () => undefined)
    const told = new Promise<Error>((resolve) =>
      consumer.events.on('consumer.unproved', ({ error }) => resolve(error)),
    )

    expect(await told).toMatchObject({ code: 'WAY_OUT_UNPROVED' })
  })

  it('and with requireProof it takes nothing until there is a proof', async () => {
    const rig = await setup({ layout: 'isolated', exact: true, wayLook: nobody })
    await rig.publish('m')
    const { runs, told } = begin(rig, { requireProof: true })

    await eventually(() => expect(told.length).toBeGreaterThan(1))

    expect(new Set(told)).toEqual(new Set(['WAY_OUT_UNPROVED']))
    expect(runs).toEqual([])
    expect(await rig.depth(rig.flow.queue)).toBe(1)
  })

  it.each([
    ['ratatoskr', true],
    ['ratatoskr', false],
    ['warren', false],
  ] as const)(
    'the layout %s (exact: %s) is proved all the same, because nothing in it needs a binding',
    async (layout, exact) => {
      const rig = await setup({ layout, exact, wayLook: nobody })

      const { consumer, told } = begin(rig, { requireProof: true })
      await consumer.whenStarted()

      expect(told).toEqual(['started'])
    },
  )
})

it('a management API that does not know the queue is not believed', async () => {
  const other = await createVhost()
  onTestFinished(() => other.drop())
  const real = lookByRealManagement()
  const wayLook: WayLook = { look: (way) => real.look({ ...way, vhost: other.vhost }) }
  const rig = await setup({ layout: 'isolated', exact: true, wayLook })

  const { consumer, told } = begin(rig)
  await consumer.whenStarted()

  await eventually(() => expect(told).toContain('unproved'))
  expect(told).not.toContain('WAY_OUT_BROKEN')
})

describe('an account that may declare nothing', () => {
  async function createReader(): Promise<string> {
    const user = `reader-${broker.vhost}-${made}`
    await broker.management('PUT', `/api/users/${user}`, { password: 'secret', tags: '' })
    onTestFinished(() => broker.management('DELETE', `/api/users/${user}`).then(() => undefined))
    const permissions = { configure: '', write: '.*', read: '.*' }
    await broker.management('PUT', `/api/permissions/${broker.vhost}/${user}`, permissions)
    return Object.assign(new URL(broker.url), { username: user, password: 'secret' }).href
  }

  it('consumes with the proof of a management API', async () => {
    const rig = await setup({ layout: 'ratatoskr', exact: true, consumingUrl: await createReader() })

    const { consumer, told } = begin(rig)
    await consumer.whenStarted()

    expect(told).toEqual(['started'])
  })

  it('consumes without one, and says so', async () => {
    const wayLook: WayLook = { look: () => Promise.reject(new Error('nobody answers')) }
    const rig = await setup({ layout: 'ratatoskr', exact: true, wayLook, consumingUrl: await createReader() })

    const { consumer, told } = begin(rig)
    await consumer.whenStarted()

    await eventually(() => expect(told).toContain('unproved'))
    expect(told).toContain('started')
  })
})
