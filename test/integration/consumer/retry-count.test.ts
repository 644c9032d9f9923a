import { describe, expect, it } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createConsumerRig } from './consumer-rig.ts'

const broker = await useBroker()
let made = 0

/** A queue of ratatoskr with three retries, and what its failing handler sees of the count. */
async function setup(exact: boolean) {
  made += 1
  const name = `count-${made}`
  const rig = await createConsumerRig({
    url: broker.url,
    declaration: {
      layout: 'ratatoskr',
      exact,
      queues: { [name]: { retry: { delays: [5], maxAttempts: 4 } } },
    },
  })
  const seen: unknown[] = []
  await rig.consume(name, ({ headers }, { attempt }) => {
    seen.push([attempt, headers['x-retry-count']])
    throw new Error('always')
  })
  const publish = (headers?: Record<string, number>) =>
    rig.publisher.publish({ key: name, body: 'x', ...(headers && { headers }) })
  const die = async () => {
    await eventually(async () => expect(await rig.depth(`${name}.dlq`)).toBe(1))
    const [dead] = await rig.drain(`${name}.dlq`)
    return dead!.headers
  }
  return { publish, seen, die }
}

describe.each([true, false])('in ratatoskr (exact: %s)', (exact) => {
  it('a handler sees its retries at every attempt, and the dead letter has how many there were', async () => {
    const { publish, seen, die } = await setup(exact)

    await publish()

    expect(await die()).toMatchObject({ 'x-retry-count': 3, 'x-final-retry-count': 3, 'warren-attempts': 4 })
    expect(seen).toEqual([
      [1, 0],
      [2, 1],
      [3, 2],
      [4, 3],
    ])
  })

  it('a message that comes with a count goes on from it', async () => {
    const { publish, seen, die } = await setup(exact)

    await publish({ 'x-retry-count': 2 })

    expect(await die()).toMatchObject({ 'x-retry-count': 3 })
    expect(seen).toEqual([
      [3, 2],
      [4, 3],
    ])
  })
})
