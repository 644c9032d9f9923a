import { describe, expect, it } from 'vitest'
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
import type { RedriveOptions } from '../../packages/warrenmq/src/recovery/redrive/redrive-options.ts'
import { type PlainTable, toFieldTable } from '../../packages/warrenmq/src/wire/plain-fields.ts'
import { unlimitedQuorum } from '../integration/recovery/recovery-rig.ts'
import { cutPoints } from './cut-points.ts'

type Profile = '3.10' | '4.0' | '4.3'

const ids = ['a', 'b', 'c', 'd', 'e', 'f']
const window = 2
const oneByOne = { window: { messages: 1 } }
const quick = { backoff: { initialMs: 1, maxMs: 20 } }

interface Ending {
  readonly receipt: Receipt
  /** Ids in each queue at the end, sorted. */
  readonly work: readonly string[]
  readonly dead: readonly string[]
}

/** Plays one re-drive of six messages on a broker of its own, with the fault that `arm` sets up. */
async function play(
  profile: Profile,
  arm: (broker: EmbeddedBroker, publishing: Session) => void,
  options: Partial<RedriveOptions> = {},
  workArguments: PlainTable = {},
): Promise<Ending> {
  const broker = await startEmbeddedBroker({ profile })
  const consuming = await Session.open(broker.url, quick)
  const publishing = await Session.open(broker.url, quick)
  const publisher = new Publisher(publishing)
  const channel = await consuming.openChannel()
  const quorum = unlimitedQuorum(consuming.broker.version)
  await declareQueue(channel, { queue: 'dlq', arguments: toFieldTable(quorum) })
  await declareQueue(channel, { queue: 'work', arguments: toFieldTable({ ...quorum, ...workArguments }) })
  const headers = { 'x-original-queue': 'work' }
  for (const id of ids) await publisher.publish({ key: 'dlq', body: id, messageId: id, headers })
  await publisher.close()
  arm(broker, publishing)

  const task = { consuming, publishing, queue: 'dlq', acceptDeliveryLimit: true, by: 'test' }
  const receipt = await startRedrive({ ...task, window: { messages: window }, ...options }).receipt
  const ending = { receipt, work: await idsIn(broker, 'work'), dead: await idsIn(broker, 'dlq') }
  await Promise.all([consuming.close(), publishing.close()])
  await broker.stop()
  return ending
}

async function idsIn(broker: EmbeddedBroker, queue: string): Promise<readonly string[]> {
  const session = await Session.open(broker.url)
  const channel = await session.openChannel()
  const found: string[] = []
  for (let got = await channel.get(queue); got; got = await channel.get(queue)) {
    found.push(Buffer.concat([got.body].flat()).toString())
  }
  await session.close()
  return found.toSorted()
}

function expectNothingLost({ receipt, work, dead }: Ending, what: string): void {
  expect([...new Set([...work, ...dead])].toSorted(), what).toEqual(ids)
  expect(receipt, what).toMatchObject({
    present: 6,
    stillThere: 0,
    missing: 0,
    arrivals: 0,
    isBalanced: true,
  })
  expect(dead, what).toHaveLength(receipt.failed + receipt.kept)
  const copies = work.length + dead.length - ids.length
  expect(copies, what).toBeLessThanOrEqual(window)
  expect(copies, what).toBeLessThanOrEqual(receipt.duplicatesPossible)
}

/** Cuts at the first, second, … time that a frame comes to the point, until there is no such time any more. */
async function cutEverywhere(profile: Profile, point: CutPoint): Promise<number> {
  for (let nth = 1; ; nth += 1) {
    let wasCut = false
    const ending = await play(profile, ({ faults }) => {
      void faults.cutConnection(point, { nth }).then(() => {
        wasCut = true
      })
    })

    expectNothingLost(ending, `${point} #${nth}`)
    expect(ending.receipt, `${point} #${nth}`).toMatchObject({ outcome: 'done', moved: 6, failed: 0 })
    expect(ending.dead, `${point} #${nth}`).toEqual([])
    if (!wasCut) return nth - 1
  }
}

describe.each(['3.10', '4.0', '4.3'] as const)('on RabbitMQ %s', (profile) => {
  it('a re-drive loses nothing and repeats no more than its window, wherever a connection is cut', async () => {
    const cuts = await Promise.all(cutPoints.map((point) => cutEverywhere(profile, point)))

    expect(cuts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(6 * 3)
  })

  it('a message that the broker returns stays, and is the only one to stay', async () => {
    const returned = await play(profile, ({ faults }) => faults.returnPublishes(), oneByOne)

    expectNothingLost(returned, 'returned')
    expect(returned.receipt).toMatchObject({ moved: 5, failures: [{ kind: 'unroutable', count: 1 }] })
  })

  it('a message that the broker refuses goes on another channel', async () => {
    const opened: string[] = []
    const listen = ({ faults }: EmbeddedBroker, publishing: Session): void => {
      faults.changeConfirms({ kind: 'nack' })
      publishing.events.on('channel-opened', ({ channel }) => opened.push(channel))
    }

    const refused = await play(profile, listen, oneByOne)

    expectNothingLost(refused, 'refused')
    expect(refused.receipt).toMatchObject({ outcome: 'done', moved: 6, failures: [] })
    expect(opened).toEqual(['publisher', 'publisher'])
  })

  it('a target that is full refuses on another channel too, and the rest stays with one true receipt', async () => {
    const opened: string[] = []
    const listen = (_: EmbeddedBroker, publishing: Session): void =>
      void publishing.events.on('channel-opened', ({ channel }) => opened.push(channel))

    const full = await play(profile, listen, oneByOne, { 'x-max-length': 2, 'x-overflow': 'reject-publish' })

    expectNothingLost(full, 'full')
    const { failed, moved } = full.receipt
    expect(full.receipt).toMatchObject({ outcome: 'done', failures: [{ kind: 'refused', count: failed }] })
    expect(full.work).toHaveLength(moved)
    expect(failed).toBeGreaterThanOrEqual(3)
    expect(opened).toEqual(['publisher', 'publisher'])
  })

  it('a broker that crashes and comes back in the middle finds the re-drive going on', async () => {
    let restarting: Promise<void> | undefined
    let broker: EmbeddedBroker | undefined
    const ending = await play(
      profile,
      (started) => {
        broker = started
      },
      {
        onProgress: ({ moved }) => {
          if (moved === 3) restarting ??= broker!.faults.crash().then(() => broker!.faults.restart())
        },
      },
    )
    await restarting

    expectNothingLost(ending, 'crash')
    expect(ending.receipt).toMatchObject({ outcome: 'done', moved: 6 })
  })

  it('a blocked broker holds a re-drive up, and it goes on when the alarm is over', async () => {
    let wasBlocked = false
    const ending = await play(profile, ({ faults }, publishing) => {
      faults.block('disk')
      publishing.events.on('blocked', () => {
        wasBlocked = true
        setImmediate(() => faults.unblock())
      })
    })

    expect(wasBlocked).toBe(true)
    expectNothingLost(ending, 'blocked')
    expect(ending.receipt).toMatchObject({ outcome: 'done', moved: 6 })
  })
})
