import { describe, expect, it, onTestFinished } from 'vitest'
import { declareQueue } from '../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { Session } from '../../packages/warrenmq/src/broker/amqp/session.ts'
import type { CutPoint } from '../../packages/warrenmq/src/embedded/server/faults.ts'
import {
  type EmbeddedBroker,
  startEmbeddedBroker,
} from '../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { Publisher } from '../../packages/warrenmq/src/publisher/publisher.ts'
import type { Receipt } from '../../packages/warrenmq/src/recovery/receipt/receipt.ts'
import { startRedrive } from '../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import { toFieldTable } from '../../packages/warrenmq/src/wire/plain-fields.ts'
import { createRecoveryRig, unlimitedQuorum } from '../integration/recovery/recovery-rig.ts'
import { publishUnnamed } from '../support/publish-unnamed.ts'
import { startProxy } from '../support/start-proxy.ts'
import { useBroker } from '../support/use-broker.ts'
import { cutPoints } from './cut-points.ts'

type Profile = '3.10' | '4.0' | '4.3'

const quick = { backoff: { initialMs: 1, maxMs: 20 } }
const different = ['a', 'b', 'c', 'd', 'e', 'f']
const alike = ['x', 'x', 'x', 'x', 'x', 'x']
type Publish = (publisher: Publisher, body: string) => Promise<void>

interface Ending {
  readonly receipt: Receipt
  /** Bodies in each queue at the end, sorted. */
  readonly work: readonly string[]
  readonly dead: readonly string[]
}

/** Plays one re-drive of messages that do not say who they are, on a broker of its own. */
async function play(fields: {
  profile: Profile
  bodies: readonly string[]
  publish: Publish
  arm: (broker: EmbeddedBroker) => void
}): Promise<Ending> {
  const { profile, bodies, publish, arm } = fields
  const broker = await startEmbeddedBroker({ profile })
  const consuming = await Session.open(broker.url, quick)
  const publishing = await Session.open(broker.url, quick)
  const channel = await consuming.openChannel()
  const quorum = toFieldTable(unlimitedQuorum(consuming.broker.version))
  for (const queue of ['dlq', 'work']) await declareQueue(channel, { queue, arguments: quorum })
  const publisher = new Publisher(publishing)
  for (const body of bodies) await publish(publisher, body)
  await publisher.close()
  arm(broker)

  const receipt = await startRedrive({
    consuming,
    publishing,
    queue: 'dlq',
    acceptDeliveryLimit: true,
    by: 'test',
    window: { messages: 2 },
  }).receipt
  const ending = { receipt, work: await bodiesIn(broker, 'work'), dead: await bodiesIn(broker, 'dlq') }
  await Promise.all([consuming.close(), publishing.close()])
  await broker.stop()
  return ending
}

async function publishDead(publisher: Publisher, body: string, prefix = ''): Promise<void> {
  const headers = { 'x-original-queue': `${prefix}work` }
  await publishUnnamed(publisher, { key: `${prefix}dlq`, body, headers })
}

async function publishEqual(publisher: Publisher, body: string): Promise<void> {
  const headers = { 'x-original-queue': 'work' }
  const result = await publisher.publish({
    key: 'dlq',
    body,
    messageId: body,
    headers,
    timestamp: new Date(0),
  })
  expect(result.kind).toBe('confirmed')
}

async function bodiesIn(broker: EmbeddedBroker, queue: string): Promise<readonly string[]> {
  const session = await Session.open(broker.url)
  const channel = await session.openChannel()
  const found: string[] = []
  for (let got = await channel.get(queue); got; got = await channel.get(queue)) {
    found.push(Buffer.concat([got.body].flat()).toString())
  }
  await session.close()
  return found.toSorted()
}

function expectTrueReceipt({ receipt, work, dead }: Ending, bodies: readonly string[], what: string): void {
  const { moved, failed, duplicatesPossible } = receipt
  expect([...new Set([...work, ...dead])].toSorted(), what).toEqual([...new Set(bodies)])
  expect(work.length + dead.length, what).toBeGreaterThanOrEqual(bodies.length)
  expect(receipt, what).toMatchObject({ outcome: 'done', present: 6, kept: 0, stillThere: 0, missing: 0 })
  expect(receipt, what).toMatchObject({ arrivals: 0, isBalanced: true, moved: 6 - failed })
  // What is counted as moved is there, each of them and not one of them twice.
  expect(bodies === alike ? work.length : new Set(work).size, what).toBeGreaterThanOrEqual(moved)
  expect(work.length + dead.length - bodies.length, what).toBeLessThanOrEqual(duplicatesPossible)
}

/** Cuts at the first, second, … time that a frame comes to the point, until there is no such time any more. */
async function cutEverywhere(
  load: { profile: Profile; bodies: readonly string[]; publish: Publish },
  point: CutPoint,
): Promise<number> {
  for (let nth = 1; ; nth += 1) {
    let wasCut = false
    const arm = ({ faults }: EmbeddedBroker): void => {
      void faults.cutConnection(point, { nth }).then(() => {
        wasCut = true
      })
    }
    const ending = await play({ ...load, arm })

    expectTrueReceipt(ending, load.bodies, `${point} #${nth}`)
    if (!wasCut) return nth - 1
  }
}

describe.each(['3.10', '4.0', '4.3'] as const)('on RabbitMQ %s', (profile) => {
  it.each([
    ['without an id that are different', different, publishDead],
    ['without an id that are alike', alike, publishDead],
    ['with one id that are alike', alike, publishEqual],
  ] as const)('messages %s are all moved, wherever a connection is cut', async (_, bodies, publish) => {
    const load = { profile, bodies, publish }
    const cuts = await Promise.all(cutPoints.map((point) => cutEverywhere(load, point)))

    expect(cuts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(6 * 3)
  })
})

const broker = await useBroker()

it('a consuming connection that is cut leaves no message without an id behind, and the receipt is true', async () => {
  const proxy = await startProxy({ target: Number(new URL(broker.url).port) })
  onTestFinished(() => proxy.close())
  const rig = await createRecoveryRig({ ...broker, consumingUrl: proxy.urlFor(broker.url) })
  const prefix = 'unnamed-'
  await rig.declare(`${prefix}work`)
  await rig.declare(`${prefix}dlq`)
  const bodies = Array.from({ length: 1_000 }, (_, index) => `m-${index}`)
  await Promise.all(bodies.map((body) => publishDead(rig.publisher, body, prefix)))
  let isCut = false

  const receipt = await rig.redrive({
    queue: `${prefix}dlq`,
    window: { messages: 50 },
    onProgress: ({ moved }) => {
      if (moved < 400 || isCut) return
      isCut = true
      proxy.cutAll()
    },
  })

  expect(isCut).toBe(true)
  expect(receipt).toMatchObject({ outcome: 'done', present: 1_000, moved: 1_000, stillThere: 0, arrivals: 0 })
  const found = (await rig.drain(`${prefix}work`)).map(({ body }) => body)
  expect([...new Set(found)].toSorted()).toEqual(bodies.toSorted())
  expect(found.length - bodies.length).toBeLessThanOrEqual(receipt.duplicatesPossible)
  expect(await rig.depth(`${prefix}dlq`)).toBe(0)
})
