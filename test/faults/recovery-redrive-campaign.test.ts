import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { Session } from '../../packages/warrenmq/src/broker/amqp/session.ts'
import type { Receipt } from '../../packages/warrenmq/src/recovery/receipt/receipt.ts'
import { type Redrive, startRedrive } from '../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import type { RedriveOptions } from '../../packages/warrenmq/src/recovery/redrive/redrive-options.ts'
import type { PlainTable } from '../../packages/warrenmq/src/wire/plain-fields.ts'
import { createRecoveryRig, type RecoveryRig, unlimitedQuorum } from '../integration/recovery/recovery-rig.ts'
import { eventually } from '../support/eventually.ts'
import { type BrokerProxy, startProxy } from '../support/start-proxy.ts'
import { useBroker } from '../support/use-broker.ts'

// Faults at random moments, and every receipt is compared with a count of both queues by somebody else.

const broker = await useBroker()
/** The long campaign has three hundred per version. */
const faults = Number(process.env.WARREN_CAMPAIGN_FAULTS ?? 24)
const seed = Number(process.env.WARREN_CAMPAIGN_SEED ?? 1)

interface Trial {
  readonly rig: RecoveryRig
  readonly consuming: BrokerProxy
  readonly publishing: BrokerProxy
  readonly dlq: string
  readonly work: string
  readonly count: number
  readonly random: (below: number) => number
  /** By somebody else. */
  readonly taken: { count: number }
  /** To be done before both queues are counted. */
  readonly before: (() => Promise<void>)[]
  /** Arrives in the dead-letter queue; so many have so far. */
  arrive(count: number, priority?: number): Promise<void>
}

interface Fault {
  readonly name: string
  readonly queue?: (version: string) => PlainTable
  readonly target?: PlainTable
  readonly headers?: PlainTable
  readonly options?: Partial<RedriveOptions>
  /** Sets the fault up; what it gives back is called when so many are moved. */
  arm(trial: Trial, run: () => Redrive): Promise<(() => void) | undefined>
}

const ackOrConfirm = { classId: 60, methodId: 80 }
const deliver = { direction: 'to-client', classId: 60, methodId: 60 } as const
const mostTaken = 5
const where = ['before', 'middle', 'after'] as const

const kinds: readonly Fault[] = [
  {
    name: 'an ack is cut',
    arm: async ({ consuming, random }) => {
      const match = { direction: 'to-broker', ...ackOrConfirm, nth: 1 + random(6) } as const
      void consuming.cutAtFrame({ ...match, where: where[random(3)]! })
      return undefined
    },
  },
  {
    name: 'a delivery is cut',
    arm: async ({ consuming, random, count }) => {
      void consuming.cutAtFrame({ ...deliver, nth: 1 + random(count), where: where[random(3)]! })
      return undefined
    },
  },
  {
    name: 'a confirm is cut',
    arm: async ({ publishing, random }) => {
      const match = { direction: 'to-client', ...ackOrConfirm, nth: 1 + random(8) } as const
      void publishing.cutAtFrame({ ...match, where: where[random(3)]! })
      return undefined
    },
  },
  {
    name: 'both connections are cut',
    arm:
      async ({ consuming, publishing }) =>
      () => {
        consuming.cutAll()
        publishing.cutAll()
      },
  },
  {
    name: 'a connection is cut with a filter',
    options: { select: ({ body }) => Number(String(body)) % 3 === 0 },
    arm:
      async ({ consuming }) =>
      () =>
        consuming.cutAll(),
  },
  {
    name: 'a connection is cut while others arrive',
    arm: async (trial) => () => {
      void trial.arrive(1 + trial.random(20))
      trial.consuming.cutAll()
    },
  },
  {
    name: 'the target is full',
    target: { 'x-max-length': 50, 'x-overflow': 'reject-publish' },
    arm: async () => undefined,
  },
  {
    name: 'others of a higher priority arrive',
    queue: () => ({ 'x-queue-type': 'classic', 'x-max-priority': 5 }),
    arm: async (trial) => () => void trial.arrive(30, 5),
  },
  {
    name: 'somebody else takes some, and a connection is cut',
    arm: async ({ dlq, consuming, taken, before }) => {
      const session = await eventually(() => Session.open(broker.url))
      const channel = await session.openChannel()
      await channel.setPrefetch(1)
      await channel.consume(dlq, (delivery) => {
        if (taken.count < mostTaken && delivery.ack() === 'sent') taken.count += 1
      })
      before.push(() => session.close())
      return () => consuming.cutAll()
    },
  },
  {
    // On 3.10 and 4.0 such a header stays, so it says nothing of the deliveries from this queue.
    name: 'letters say that they were delivered before, and a connection is cut',
    headers: { 'x-delivery-count': 7 },
    arm:
      async ({ consuming }) =>
      () =>
        consuming.cutAll(),
  },
  {
    name: 'it is cancelled while a connection is cut',
    arm:
      async ({ publishing }, run) =>
      () => {
        publishing.cutAll()
        run().cancel()
      },
  },
]

function createRandom(from: number): (below: number) => number {
  let state = from >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

async function runTrial(fault: Fault, number: number): Promise<void> {
  const random = createRandom(seed * 1_000_003 + number * 7_919)
  for (let round = 0; round < 8; round += 1) random(1)
  const target = Number(new URL(broker.url).port)
  const [consuming, publishing] = [await startProxy({ target }), await startProxy({ target })]
  const [consumingUrl, publishingUrl] = [consuming.urlFor(broker.url), publishing.urlFor(broker.url)]
  // On a busy machine the broker may not answer in time, which is none of the faults.
  const rig = await eventually(() => createRecoveryRig({ ...broker, consumingUrl, publishingUrl }))
  const name = `${number}-${randomUUID().slice(0, 8)}`
  const [dlq, work] = [`campaign-dlq-${name}`, `campaign-work-${name}`]
  const version = rig.consuming.broker.version
  const isClassic = random(2) === 0
  const plain = isClassic ? { 'x-queue-type': 'classic' } : unlimitedQuorum(version)
  await rig.declare(dlq, fault.queue?.(version) ?? plain)
  await rig.declare(work, { ...unlimitedQuorum(version), ...fault.target })
  const count = 100 + random(300)
  const headers = { 'x-original-queue': work, ...fault.headers }
  await rig.fill(dlq, count, () => ({ headers }))
  let arrived = 0
  const arrivals: Promise<void>[] = []
  const arrive = (more: number, priority?: number): Promise<void> => {
    const from = count + arrived
    arrived += more
    const message = (index: number) => ({
      headers,
      messageId: `m-${from + index}`,
      body: String(from + index),
      ...(priority !== undefined && { priority }),
    })
    const filled = rig.fill(dlq, more, message)
    arrivals.push(filled)
    return filled
  }
  const trial: Trial = {
    rig,
    consuming,
    publishing,
    dlq,
    work,
    count,
    random,
    arrive,
    taken: { count: 0 },
    before: [],
  }
  const strikeAt = 1 + random(count)
  let strike: (() => void) | undefined
  const task = { consuming: rig.consuming, publishing: rig.publishing, management: rig.management }
  let run: Redrive | undefined
  strike = await fault.arm(trial, () => run!)
  run = startRedrive({
    ...task,
    queue: dlq,
    by: 'test',
    window: { messages: 1 + random(60) },
    ...fault.options,
    onProgress: ({ moved }) => {
      if (moved < strikeAt || !strike) return
      const now = strike
      strike = undefined
      now()
    },
  })
  const receipt = await run.receipt
  await Promise.all([...arrivals, ...trial.before.map((end) => end())])
  const truth = await countBoth(trial, arrived)
  compare(receipt, truth, `${fault.name}, #${number}, seed ${seed}`)
  consuming.close()
  publishing.close()
}

interface Truth {
  readonly atTarget: number
  readonly inQueue: number
  /** Different ones, over both. */
  readonly different: number
  readonly known: number
  readonly taken: number
}

/** What somebody else held comes back a moment after they have gone, and so both are counted until nothing is missing. */
async function countBoth({ rig, dlq, work, count, taken }: Trial, arrived: number): Promise<Truth> {
  const known = count + arrived
  const left: (string | undefined)[] = []
  const moved: (string | undefined)[] = []
  const read = async (): Promise<Truth> => {
    for (const { properties } of await rig.drain(dlq)) left.push(properties.messageId)
    for (const { properties } of await rig.drain(work)) moved.push(properties.messageId)
    const different = new Set([...left, ...moved]).size
    return { atTarget: moved.length, inQueue: left.length, different, known, taken: taken.count }
  }
  return eventually(async () => {
    const truth = await read()
    return truth.known - truth.different <= truth.taken && truth
  }).catch(read)
}

/** Everything that a receipt states, against what somebody else counted. */
function compare(receipt: Receipt, truth: Truth, what: string): void {
  const { present, moved, failed, kept, stillThere, duplicatesPossible } = receipt
  const { published = 0, acksInDoubt = 0, unanswered = 0 } = receipt
  const told = `${what}: ${JSON.stringify({ ...receipt, refusals: undefined })} ${JSON.stringify(truth)}`
  // Nothing is lost but what somebody else took, and of that a copy may be at the target.
  const lost = truth.known - truth.different
  expect(lost, told).toBeLessThanOrEqual(truth.taken)
  expect(truth.atTarget, told).toBeGreaterThanOrEqual(published)
  expect(truth.atTarget, told).toBeLessThanOrEqual(published + unanswered)
  const removed = truth.known - truth.taken - truth.inQueue
  expect(moved, told).toBeLessThanOrEqual(removed)
  expect(removed, told).toBeLessThanOrEqual(moved + acksInDoubt)
  expect(truth.atTarget - removed, told).toBeLessThanOrEqual(duplicatesPossible)
  expect(present, told).toBe(moved + failed + kept + stillThere)
}

// Each is a test of its own, so that its connections end with it.
const trials = Array.from({ length: faults }, (_, number) => ({
  number,
  fault: kinds[number % kinds.length]!.name,
}))

test.each(trials)('a receipt is true where $fault (#$number)', async ({ number }) => {
  await runTrial(kinds[number % kinds.length]!, number)
})
