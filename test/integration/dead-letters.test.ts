import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import amqplib from 'amqplib'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type BackupChoice,
  connect,
  defineTopology,
  type RedriveChoice,
  reject,
} from '../../packages/warrenmq/src/index.ts'
import type { PlainTable } from '../../packages/warrenmq/src/wire/plain-fields.ts'
import { eventually } from '../support/eventually.ts'
import { useBroker } from '../support/use-broker.ts'

const broker = await useBroker()
const managementUrl = broker.managementUrl.replace('://', `://${broker.username}:${broker.password}@`)
const retry = { delays: [20], maxAttempts: 2 }
let made = 0

/** Six dead orders, two of which were refused; the others timed out. */
async function setup() {
  made += 1
  const name = `orders-${made}` as const
  const topology = defineTopology({ queues: { [name]: { retry }, [`plain-${made}`]: { deadLetter: false } } })
  const warren = await connect(broker.url, { topology, managementUrl })
  onTestFinished(() => warren.close())
  await warren.apply()
  const handled: unknown[] = []
  let isDown = true
  const consumer = await warren.consume(name, ({ body }) => {
    const { order } = body as { order: number }
    if (order % 3 === 0) return reject('no such customer')
    if (isDown) throw Object.assign(new Error('gateway timed out'), { isPermanent: true })
    handled.push(order)
    return undefined
  })
  const dead: string[] = []
  consumer.events.on('delivery.settled', ({ outcome }) => dead.push(outcome.kind))
  const publisher = warren.publisher()
  for (let order = 0; order < 6; order += 1) {
    await publisher.publish({ key: name, body: { order }, messageId: `order-${order}` })
  }
  await eventually(() => expect(dead).toHaveLength(6))
  const repair = () => {
    isDown = false
  }
  return { warren, name, plain: `plain-${made}`, handled, repair }
}

/** By a client that sends what Warren's own publisher refuses. */
async function publishElsewhere(queue: string, properties: amqplib.Options.Publish): Promise<void> {
  const connection = await amqplib.connect(broker.url)
  const channel = await connection.createConfirmChannel()
  channel.sendToQueue(queue, Buffer.from('x'), properties)
  await channel.waitForConfirms()
  await connection.close()
}

describe('the dead letters of a queue', () => {
  it('are shown even where headers are nested deeper than anybody reads', async () => {
    const { warren, name } = await setup()
    let deep: PlainTable = {}
    for (let depth = 0; depth < 200; depth += 1) deep = { deep }
    await publishElsewhere(`${name}.dlq`, { messageId: 'deep', headers: deep })

    const shown = await warren.deadLetters(name).peek({ count: 7 })

    expect(shown.at(-1)).toMatchObject({ id: 'deep', headers: { deep: { deep: {} } } })
  })

  it('are shown with their causes, put back by a filter, and accounted for', async () => {
    const { warren, name, handled, repair } = await setup()
    const dead = warren.deadLetters(name)

    const causes = await dead.causes()
    const shown = await dead.peek({ count: 2 })
    const refused = await dead.peek({ where: 'cause:customer' })
    const preview = await dead.preview({ where: 'cause:timed' })
    repair()
    const receipt = await dead.redrive({ where: 'cause:timed', by: 'a test', reason: 'gateway is back' })

    expect(dead.queue).toBe(`${name}.dlq`)
    expect(causes.map(({ count }) => count)).toEqual([4, 2])
    expect(shown.map(({ id }) => id)).toEqual(['order-0', 'order-1'])
    expect(refused.map(({ id, queue }) => [id, queue]).toSorted()).toEqual([
      ['order-0', name],
      ['order-3', name],
    ])
    expect(preview).toMatchObject({ present: 6, moving: 4, keeping: [{ reason: 'not-selected', count: 2 }] })
    expect(receipt).toMatchObject({ present: 6, moved: 4, kept: 2, by: 'a test', isBalanced: true })
    await eventually(() => expect(handled.toSorted()).toEqual([1, 2, 4, 5]))
    expect(await warren.deadLetters(`${name}.dlq`).peek()).toHaveLength(2)
  })

  it('that cannot be held until all are seen are told by an error, not by a part of them', async () => {
    const { warren, name } = await setup()
    const more = Array.from({ length: 3_000 }, (_, body) =>
      warren.publisher().publish({ key: `${name}.dlq`, body }),
    )
    await Promise.all(more)
    const dead = warren.deadLetters(name)

    const [causes, peek] = [
      await dead.causes({ hold: 1 }).catch((error: unknown) => error),
      await dead.peek({ hold: 1, where: 'id:nobody' }).catch((error: unknown) => error),
    ]

    for (const error of [causes, peek]) {
      expect(error).toMatchObject({ code: 'RECOVERY_HELD_TOO_LONG' })
      expect(String(error)).toMatch(/only \d+ of 3006 were seen\. Ask for fewer messages/)
    }
    expect(await dead.peek({ count: 1 })).toHaveLength(1)
    expect((await dead.causes()).reduce((sum, { count }) => sum + count, 0)).toBe(3_006)
  })

  it('go to the queue that is named, and no more of them than the limit', async () => {
    const { warren, name, plain } = await setup()
    const dead = warren.deadLetters(name)

    const receipt = await dead.redrive({ to: { queue: plain }, limit: 1 })

    expect(receipt).toMatchObject({ present: 6, moved: 1, stillThere: 5, isBalanced: true })
    expect(receipt.targets).toMatchObject([{ moved: 1 }])
    expect(await warren.deadLetters(name).peek()).toHaveLength(5)
  })

  it('are moved by a re-drive that can be paused, resumed and cancelled', async () => {
    const { warren, name, plain } = await setup()
    const seen: string[] = []
    const run = warren.deadLetters(name).startRedrive({
      to: { queue: plain },
      ratePerSecond: 1,
      onProgress: ({ state }) => seen.push(state),
    })
    await eventually(() => expect(run.progress.moved).toBeGreaterThan(0))

    run.pause()
    await eventually(() => expect(run.progress.state).toBe('paused'))
    run.resume()
    await eventually(() => expect(run.progress.state).toBe('moving'))
    run.cancel()
    const receipt = await run.receipt

    expect(receipt).toMatchObject({ outcome: 'cancelled', present: 6, isBalanced: true })
    expect(receipt.moved + receipt.stillThere).toBe(6)
    expect(seen).toContain('moving')
  })

  it('are edited one at a time', async () => {
    const { warren, name, plain } = await setup()
    const dead = warren.deadLetters(name)
    const edit = { body: '{"order":7}', headers: { mended: true } }

    await expect(dead.redrive({ edit, to: { queue: plain } })).rejects.toThrow(
      'Nothing was moved: 6 messages match, and an edit is for one.',
    )
    expect(() => dead.startRedrive({ edit })).toThrow('startRedrive() takes no edit')
    const receipt = await dead.redrive({ edit, where: 'id:order-1', to: { queue: plain } })

    expect(receipt).toMatchObject({ moved: 1, request: { edit: { headers: ['mended'] } } })
    const looker = await connect(broker.url, { managementUrl })
    onTestFinished(() => looker.close())
    const [edited] = await looker.deadLetters(plain).peek({ acceptDeliveryLimit: true })
    expect(edited).toMatchObject({ id: 'order-1', body: { text: '{"order":7}' }, headers: { mended: true } })
  })

  it('are backed up, discarded into a file, restored from it, and the receipt of a re-drive is checked', async () => {
    const { warren, name, plain } = await setup()
    const dead = warren.deadLetters(name)
    const folder = await mkdtemp(join(tmpdir(), 'warren-dead-letters-'))
    onTestFinished(() => rm(folder, { recursive: true }))

    const backup = await dead.backUp({ file: join(folder, 'all.backup') })
    const discarded = await dead.discard({
      file: join(folder, 'some.backup'),
      where: 'cause:timed',
      limit: 3,
    })
    const left = await dead.peek()
    const restored = await dead.restore({ file: join(folder, 'some.backup') })
    const receipt = await dead.redrive({ to: { queue: plain }, limit: 2 })
    const checked = await dead.verify(receipt, { includesTargets: true, acceptDeliveryLimit: true })

    expect(backup).toMatchObject({ records: 6, present: 6 })
    expect(discarded).toMatchObject({ removed: 3, left: 3, isDone: true })
    expect(left).toHaveLength(3)
    expect(restored).toMatchObject({ restored: 3, failed: 0 })
    expect(checked.verdict, JSON.stringify(checked)).toBe('holds')
    expect(await dead.peek()).toHaveLength(4)
    expect((await dead.verify({ ...receipt, moved: 3 })).verdict).toBe('broken')
  })

  it.each([
    [{ limt: 1 }, 'redrive() has no "limt"; did you mean "limit"?'],
    [{ limit: 'all' }, "limit of redrive() is 'all'; it must be a whole number from 1 up."],
    [{ where: 'no:thing' }, 'no'],
    [{ by: 1 }, 'by of redrive() is 1; it must be text.'],
  ])('are not touched where it is not clear what is asked for: %j', async (options, sentence) => {
    const { warren, name } = await setup()
    const dead = warren.deadLetters(name)

    await expect(dead.redrive(options as RedriveChoice)).rejects.toThrow(sentence)
    await expect(dead.backUp({} as BackupChoice)).rejects.toThrow('backUp() needs the name of a file')

    expect(await dead.peek()).toHaveLength(6)
  })

  it('cannot be asked of a queue that is declared without any', async () => {
    const { warren, plain } = await setup()

    expect(() => warren.deadLetters(plain)).toThrow('is declared without a dead-letter queue')
  })
})
