import { expect, expectTypeOf, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { connect, defineTopology, type StandardSchema } from '../../../packages/warrenmq/src/index.ts'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { collect } from './consumer-rig.ts'

const broker = await useBroker()
const queue = { retry: { delays: [10], maxAttempts: 2 } }
const topology = defineTopology({ queues: { typed: queue, spelt: queue, untyped: queue, refused: queue } })

async function setup() {
  const warren = await connect(broker.url, { topology, managementUrl: 'http://127.0.0.1:1' })
  onTestFinished(() => warren.close())
  await warren.apply()
  return warren
}

it('a schema gives the handler its own type, and what it made of the body', async () => {
  const warren = await setup()
  const schema = z.object({ id: z.number(), placedAt: z.iso.datetime().transform((text) => new Date(text)) })
  const seen: Date[] = []
  await warren.consume(
    'typed',
    ({ body }) => {
      expectTypeOf(body).toEqualTypeOf<{ id: number; placedAt: Date }>()
      seen.push(body.placedAt)
    },
    { schema },
  )

  await warren.publisher().publish({ key: 'typed', body: { id: 1, placedAt: '2026-01-02T03:04:05Z' } })

  await eventually(() => expect(seen).toEqual([new Date('2026-01-02T03:04:05Z')]))
})

it('any Standard Schema does, and one that may answer later', async () => {
  const warren = await setup()
  const schema: StandardSchema<'upper'> = {
    '~standard': { version: 1, vendor: 'test', validate: () => Promise.resolve({ value: 'upper' }) },
  }
  const seen: string[] = []
  await warren.consume(
    'spelt',
    ({ body }) => {
      expectTypeOf(body).toEqualTypeOf<'upper'>()
      seen.push(body)
    },
    { schema },
  )

  await warren.publisher().publish({ key: 'spelt', body: 'lower' })

  await eventually(() => expect(seen).toEqual(['upper']))
})

it('a body that a later answer refuses is parked at its first attempt, with where it is wrong', async () => {
  const warren = await setup()
  // A function with steps of a path as objects: arktype makes the one, valibot the other.
  const schema: StandardSchema = Object.assign(() => undefined, {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: () => Promise.resolve({ issues: [{ message: 'no number', path: [{ key: 'lines' }, 2] }] }),
    },
  } as const)
  const seen: unknown[] = []
  const consumer = await warren.consume('refused', ({ body }) => void seen.push(body), { schema })
  const settled = collect(consumer, 'delivery.settled')

  await warren.publisher().publish({ key: 'refused', body: { lines: [] }, messageId: 'm1' })

  await eventually(() => expect(settled).toHaveLength(1))
  expect(settled[0]).toMatchObject({
    attempt: 1,
    outcome: {
      kind: 'dead-letter',
      reason: 'invalid',
      failure: { errorMessage: 'The message "m1" does not fit its schema: lines.2: no number.' },
    },
  })
  expect(seen).toEqual([])
})

it('without a schema a body is unknown, and a wrong use of it does not compile', async () => {
  const warren = await setup()
  const lengths: unknown[] = []
  await warren.consume('untyped', ({ body }) => {
    expectTypeOf(body).toBeUnknown()
    // @ts-expect-error nobody has looked at the body yet
    lengths.push(body.length)
  })

  await warren.publisher().publish({ key: 'untyped', body: 'four' })

  await eventually(() => expect(lengths).toEqual([4]))
})
