import amqplib from 'amqplib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect, defineTopology, reject } from '../../packages/warrenmq/src/index.ts'
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
      expect(String(error)).toMatch(/only \d+ of 3006 are known\. Ask for fewer/)
    }
    expect(await dead.peek({ count: 1 })).toHaveLength(1)
    expect((await dead.causes()).reduce((sum, { count }) => sum + count, 0)).toBe(3_006)
  })

  it('go to a queue by its name where one is said, and no further than the limit', async () => {
    const { warren, name, plain } = await setup()
    const dead = warren.deadLetters(name)

    const receipt = await dead.redrive({ to: { queue: plain }, limit: 1 })

    expect(receipt).toMatchObject({ present: 6, moved: 1, stillThere: 5, isBalanced: true })
    expect(receipt.targets).toMatchObject([{ moved: 1 }])
    expect(await warren.deadLetters(name).peek()).toHaveLength(5)
  })

  it('cannot be asked of a queue that is declared without any', async () => {
    const { warren, plain } = await setup()

    expect(() => warren.deadLetters(plain)).toThrow('is declared without a dead-letter queue')
  })
})
