import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { connect, defineTopology, reject } from '../../../packages/warrenmq/src/index.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { collect } from './consumer-rig.ts'

const broker = await useBroker()
const retry = { delays: [10], maxAttempts: 2 } as const
const topology = defineTopology({
  queues: { rows: { retry }, few: { retry }, checked: { retry }, closing: { retry }, hanging: { retry } },
})

async function setup() {
  const warren = await connect(broker.url, { topology, managementUrl: broker.managementUrl })
  onTestFinished(() => warren.close())
  await warren.apply()
  return warren
}

it('each message of a batch has its own outcome: acknowledged, retried or parked', async () => {
  const warren = await setup()
  const bodies = Array.from({ length: 30 }, (_, id) => ({ key: 'rows', messageId: `m${id}`, body: { id } }))
  await warren.publisher().publishMany(bodies)
  const seen: { readonly ids: number[]; readonly attempts: readonly number[] }[] = []

  const consumer = await warren.consume(
    'rows',
    { batch: { size: 10, wait: 100 }, schema: z.object({ id: z.number() }) },
    async (messages, { attempts }) => {
      seen.push({ ids: messages.map(({ body }) => body.id), attempts })
      return messages.map(({ body: { id } }, at) => {
        if (id % 10 === 0) return reject(`row ${id} is bad`)
        return id % 10 === 1 && attempts[at] === 1 ? new Error(`row ${id} fails once`) : undefined
      })
    },
  )
  const settled = collect(consumer, 'delivery.settled')

  await eventually(() => expect(settled).toHaveLength(33))
  const kinds = settled.map(({ outcome }) => outcome.kind).toSorted()
  expect(kinds).toEqual([
    ...Array.from({ length: 27 }, () => 'acknowledge'),
    ...Array.from({ length: 3 }, () => 'dead-letter'),
    ...Array.from({ length: 3 }, () => 'retry'),
  ])
  expect(seen[0]).toEqual({
    ids: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    attempts: Array.from({ length: 10 }, () => 1),
  })
  expect(seen.every(({ ids }) => ids.length <= 10)).toBe(true)
  expect(seen.flatMap(({ ids, attempts }) => ids.filter((_, at) => attempts[at] === 2)).toSorted()).toEqual([
    1, 11, 21,
  ])
  await consumer.close()
  const letters = await warren.deadLetters('rows').peek()
  expect(letters.map(({ id }) => id).toSorted()).toEqual(['m0', 'm10', 'm20'])
})

it('a batch that is not full begins after its wait', async () => {
  const warren = await setup()
  const sizes: number[] = []
  await warren.consume('few', { batch: { size: 100, wait: 50 } }, (messages) => {
    sizes.push(messages.length)
  })

  await warren.publisher().publishMany([1, 2, 3].map((id) => ({ key: 'few', body: { id } })))

  await eventually(() => expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(3))
})

it('a message that does not fit the schema is parked before it joins a batch', async () => {
  const warren = await setup()
  const seen: unknown[] = []
  const consumer = await warren.consume(
    'checked',
    { batch: { size: 2, wait: 50 }, schema: z.object({ id: z.number() }) },
    (messages) => {
      seen.push(...messages.map(({ body }) => body))
    },
  )
  const settled = collect(consumer, 'delivery.settled')

  await warren.publisher().publishMany(['x', 2].map((id) => ({ key: 'checked', body: { id } })))

  await eventually(() => expect(settled).toHaveLength(2))
  expect(seen).toEqual([{ id: 2 }])
})

it('a close handles what waits for a batch at once, and gives the rest back', async () => {
  const warren = await setup()
  const sizes: number[] = []
  const consumer = await warren.consume('closing', { batch: { size: 100, wait: '10m' } }, (messages) => {
    sizes.push(messages.length)
  })
  await warren.publisher().publishMany([1, 2, 3].map((id) => ({ key: 'closing', body: { id } })))
  await eventually(() => expect(consumer.counts.running).toBe(3))

  await consumer.close()

  expect(sizes).toEqual([3])
  expect(await warren.deadLetters('closing').peek()).toEqual([])
})

it('a batch that hangs counts as failed after its time, and the consumer goes on', async () => {
  const warren = await setup()
  await warren.publisher().publishMany([1, 2, 3].map((id) => ({ key: 'hanging', body: { id } })))
  const options = { batch: { size: 3, wait: 10 }, timeout: 50 }
  const consumer = await warren.consume('hanging', options, (_, { attempts }) =>
    attempts.includes(1) ? new Promise<undefined>(() => {}) : undefined,
  )
  const settled = collect(consumer, 'delivery.settled')

  await eventually(() => expect(settled).toHaveLength(6))

  const kinds = settled.map(({ outcome }) => outcome.kind).toSorted()
  expect(kinds).toEqual(['acknowledge', 'acknowledge', 'acknowledge', 'retry', 'retry', 'retry'])
})

it.each([
  [{ batch: { size: 0 } }, 'batch.size is 0; it must be a whole number from 1 to 65535.'],
  [{ batch: { size: 10, wait: 'soon' } }, 'batch.wait: '],
  [{ batch: { sizes: 10 } }, 'batch has no option "sizes"; did you mean "size"?'],
  [{ batch: { size: 10_000 }, concurrency: 10 }, 'it must be a whole number from 1 to 6.'],
  [{}, 'batch takes an object with size, wait; it got undefined.'],
  [{ batch: { size: 1 }, prefetsch: 2 }, 'did you mean "prefetch"?'],
])('options that cannot be meant are refused: %j', async (options, sentence) => {
  const warren = await setup()

  await expect(warren.consume('rows', options as never, () => undefined)).rejects.toThrow(sentence)
})
