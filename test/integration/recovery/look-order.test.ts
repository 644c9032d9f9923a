import { describe, expect, onTestFinished, test } from 'vitest'
import { type IncomingMessage, joinBody } from '../../../packages/warrenmq/src/broker/amqp/message.ts'
import { startEmbeddedBroker } from '../../../packages/warrenmq/src/embedded/start-embedded-broker.ts'
import { lookAtQueue } from '../../../packages/warrenmq/src/recovery/look/look-at-queue.ts'
import { startRedrive } from '../../../packages/warrenmq/src/recovery/redrive/redrive.ts'
import { useBroker } from '../../support/use-broker.ts'
import { createRecoveryRig, type RigOptions } from './recovery-rig.ts'

const real = await useBroker()
let number = 0

async function useEmbedded(profile: '3.10' | '4.0' | '4.3'): Promise<RigOptions> {
  const broker = await startEmbeddedBroker({ profile })
  onTestFinished(() => broker.stop())
  return { ...broker, username: 'guest', password: 'guest' }
}

const brokers: readonly (readonly [string, () => Promise<RigOptions>])[] = [
  ['RabbitMQ', async () => real],
  ['the embedded broker 3.10', () => useEmbedded('3.10')],
  ['the embedded broker 4.0', () => useEmbedded('4.0')],
  ['the embedded broker 4.3', () => useEmbedded('4.3')],
]

const numberOf = ({ body }: Pick<IncomingMessage, 'body'>): number => Number(joinBody(body).toString())

describe.each(brokers)('the order of a quorum queue on %s', (_name, use) => {
  async function setup(count: number) {
    const rig = await createRecoveryRig(await use())
    number += 1
    const [work, dlq] = [`order-work-${number}`, `order-dlq-${number}`]
    await rig.declare(work)
    await rig.declare(dlq)
    await rig.fill(dlq, count, () => ({ headers: { 'x-original-queue': work } }))
    const { consuming, publishing, management } = rig
    const line = { consuming, publishing, management, by: 'test' }
    const look = async (queue: string, first?: number): Promise<number[]> => {
      const seen: number[] = []
      const onMessage = (message: IncomingMessage): void => void seen.push(numberOf(message))
      await lookAtQueue({ ...line, queue, onMessage, ...(first !== undefined && { count: first }) })
      return seen
    }
    return { ...rig, line, work, dlq, look }
  }
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
  const isEven = (message: IncomingMessage) => numberOf(message) % 2 === 0
  const ascending = (values: readonly number[]) => values.toSorted((one, other) => one - other)

  test('stays as it is when the first few are looked at after all were', async () => {
    const { dlq, look } = await setup(40)

    expect(await look(dlq, 5)).toEqual(numbers(5))
    expect(await look(dlq)).toEqual(numbers(40))
    for (const first of [3, 1, 17, 40]) expect(await look(dlq, first)).toEqual(numbers(first))

    expect(await look(dlq)).toEqual(numbers(40))
  })

  test('stays as it is where a filter keeps more than the broker sends ahead', async () => {
    const { dlq, work, look, redrive } = await setup(1_000)

    const receipt = await redrive({ queue: dlq, select: isEven, window: { messages: 50 } })

    expect(receipt).toMatchObject({ present: 1_000, moved: 500, kept: 500, isBalanced: true })
    expect(await look(work)).toEqual(numbers(1_000).filter((each) => each % 2 === 0))
    expect(await look(dlq)).toEqual(numbers(1_000).filter((each) => each % 2 === 1))
  })

  test('stays as it is when a limit is reached in the middle of what was looked at before', async () => {
    const { dlq, work, look, redrive } = await setup(600)
    await look(dlq)

    const receipt = await redrive({ queue: dlq, select: isEven, limit: 100, window: { messages: 50 } })

    expect(receipt).toMatchObject({ present: 600, moved: 100, isBalanced: true })
    expect(await look(work)).toEqual(numbers(200).filter((each) => each % 2 === 0))
    expect(await look(dlq)).toEqual(numbers(600).filter((each) => each % 2 === 1 || each >= 200))
  })

  test('stays as it is when a re-drive is cancelled in the middle of what was looked at before', async () => {
    const { dlq, work, look, line } = await setup(600)
    await look(dlq)

    const run = startRedrive({
      ...line,
      queue: dlq,
      window: { messages: 50 },
      onProgress: ({ moved }) => {
        if (moved === 100) run.cancel()
      },
    })
    const receipt = await run.receipt

    expect(receipt).toMatchObject({ outcome: 'cancelled', present: 600, isBalanced: true })
    const [moved, left] = [await look(work), await look(dlq)]
    expect([...moved, ...left]).toEqual(numbers(600))
    expect(left).toEqual(ascending(left))
  })
})
