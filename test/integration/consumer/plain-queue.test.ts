import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import {
  declareExchange,
  declareQueue,
  deleteQueue,
} from '../../../packages/warrenmq/src/broker/amqp/declarations.ts'
import { reject } from '../../../packages/warrenmq/src/consumer/handler-answer.ts'
import type { Arguments, QueueDeclaration } from '../../../packages/warrenmq/src/topology/declaration.ts'
import { toFieldTable } from '../../../packages/warrenmq/src/wire/plain-fields.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { collect, createConsumerRig } from './consumer-rig.ts'

const broker = await useBroker()
let made = 0

interface Names {
  readonly name: string
  /** Bound to `dead`, and to nothing else. */
  readonly dlx: string
  readonly dead: string
}

/** A queue that follows no layout, with arguments of its own. */
async function setup(argumentsOf: (names: Names) => Arguments, more: QueueDeclaration = {}) {
  made += 1
  const names = { name: `plain-${made}`, dlx: `dlx-${made}`, dead: `dead-${made}` }
  const { name, dlx, dead } = names
  const rig = await createConsumerRig({
    url: broker.url,
    declaration: {
      exchanges: { [dlx]: { type: 'fanout' } },
      queues: {
        [name]: { ...more, deadLetter: false, arguments: argumentsOf(names) },
        [dead]: { deadLetter: false, bind: [{ exchange: dlx }] },
      },
    },
  })
  const publish = () => rig.publisher.publish({ key: name, body: 'b', messageId: 'm1' })
  return { ...rig, ...names, publish }
}

describe('a queue with a dead-letter exchange of its own', () => {
  it.each(['quorum', 'classic'] as const)(
    'gets a nack for what is rejected, and RabbitMQ takes it there (%s)',
    async (type) => {
      const { consume, name, dead, publish, depth, drain } = await setup(
        ({ dlx }) => ({ 'x-dead-letter-exchange': dlx }),
        { type },
      )
      let runs = 0
      const consumer = await consume(name, () => {
        runs += 1
        return reject('not ours')
      })
      const settled = collect(consumer, 'delivery.settled')
      const held = collect(consumer, 'delivery.held')

      await publish()

      await eventually(async () => expect(await depth(dead)).toBe(1))
      expect(await drain(dead)).toMatchObject([
        { id: 'm1', headers: { 'x-death': [{ queue: name, reason: 'rejected' }] } },
      ])
      expect(settled.map(({ outcome }) => outcome)).toMatchObject([
        { kind: 'dead-letter', reason: 'rejected-by-handler' },
      ])
      await consumer.close()
      expect([runs, held, await depth(name)]).toEqual([1, [], 0])
    },
  )

  it('whose dead letters wait and come back counts attempts by what RabbitMQ counts', async () => {
    const { consume, name, dead, publish, depth, admin } = await setup(({ name }) => ({
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': `${name}.wait`,
    }))
    const wait = { 'x-message-ttl': 20, 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': name }
    await declareQueue(admin, { queue: `${name}.wait`, arguments: toFieldTable(wait) })
    const attempts: number[] = []
    const consumer = await consume(name, (_, { attempt }) => {
      attempts.push(attempt)
      if (attempt < 3) throw new Error('not yet')
    })

    await publish()

    await eventually(() => expect(attempts).toEqual([1, 2, 3]))
    await consumer.close()
    expect([await depth(name), await depth(`${name}.wait`), await depth(dead)]).toEqual([0, 0, 0])
  })

  it('is not consumed while that exchange is missing: what is rejected would be gone', async () => {
    const missing = `missing-${made}`
    const { consume, name, publish, depth, admin, consuming, dead } = await setup(() => ({
      'x-dead-letter-exchange': missing,
    }))
    const failures: string[] = []
    consuming.events.on('channel-failed', ({ error }) => failures.push(error.message))
    await publish()

    const starting = consume(name, () => reject('no'))
    starting.catch(() => {}) // a test that fails before it waits for it ends it
    await eventually(() => expect(failures[0]).toContain(missing))
    expect(await depth(name)).toBe(1)
    await declareExchange(admin, { exchange: missing, type: 'fanout' })
    await admin.call(
      { name: 'queue.bind', queue: dead, exchange: missing, routingKey: '', noWait: false, arguments: [] },
      'queue.bind-ok',
    )
    await starting

    await eventually(async () => expect(await depth(dead)).toBe(1))
  })

  it('is not consumed while the queue that its dead letters are addressed to is missing', async () => {
    const { consume, name, dead, publish, depth, admin, consuming } = await setup(({ dead }) => ({
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': dead,
    }))
    await deleteQueue(admin, dead)
    const failures: string[] = []
    consuming.events.on('channel-failed', ({ error }) => failures.push(error.message))
    await publish()

    const starting = consume(name, () => reject('no'))
    starting.catch(() => {}) // a test that fails before it waits for it ends it
    await eventually(() => expect(failures[0]).toContain(dead))
    await declareQueue(admin, { queue: dead, arguments: toFieldTable({ 'x-queue-type': 'quorum' }) })
    await starting

    await eventually(async () => expect(await depth(dead)).toBe(1))
  })
})

describe('a queue without a dead-letter exchange', () => {
  it('keeps what is rejected, says so once, and has it when the consumer is gone', async () => {
    const { consume, name, publish, depth } = await setup(() => ({}))
    const warned = once(process, 'warning')
    const consumer = await consume(name, () => reject('not ours'))
    const held = collect(consumer, 'delivery.held')

    await publish()

    await eventually(() => expect(held).toHaveLength(1))
    expect(held[0]).toMatchObject({ outcome: { why: 'no-way-out', failure: { errorMessage: 'not ours' } } })
    const [warning] = (await warned) as [Error]
    expect(warning).toMatchObject({ code: 'WARREN_NO_WAY_OUT' })
    expect(warning.message).toContain(`"${name}" failed, and the queue has neither a retry policy nor`)
    await consumer.close()
    await eventually(async () => expect(await depth(name)).toBe(1))
  })
})
