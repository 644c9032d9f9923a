import { expect, test } from 'vitest'
import { parseAmqpUrl } from '../../packages/warrenmq/src/broker/amqp/parse-amqp-url.ts'
import type { RedriveOptions } from '../../packages/warrenmq/src/recovery/redrive/redrive-options.ts'
import { createEmbeddedRig } from '../integration/recovery/embedded-rig.ts'
import { eventually } from '../support/eventually.ts'
import { startUnledProxy, type UnledProxy } from './start-unled-proxy.ts'

/** Six dead letters in a queue that can lose its leader. */
async function setup() {
  let proxy!: UnledProxy
  const rig = await createEmbeddedRig({
    consumingUrl: async (url) => {
      proxy = await startUnledProxy({ target: parseAmqpUrl(url)[0]!.port, queue: 'dlq' })
      return proxy.urlFor(url)
    },
  })
  const { depth } = rig
  const redrive = (options: Partial<RedriveOptions> = {}) =>
    rig.redrive({ window: { messages: 2 }, ...options })
  /** Paused after two messages, with a queue that has lost its leader. */
  const redriveHalfWay = (options: Partial<RedriveOptions> = {}) => {
    const run = redrive({
      ...options,
      onProgress: ({ moved }) => {
        if (moved !== 2) return
        run.pause()
        proxy.loseLeader()
      },
    })
    return run
  }
  return { proxy, depth, redrive, redriveHalfWay }
}

const whole = { outcome: 'done', present: 6, failed: 0, kept: 0, missing: 0, arrivals: 0, isBalanced: true }

test('a queue without a leader is not empty: a re-drive waits for one and moves what is there', async () => {
  const { proxy, depth, redrive } = await setup()
  proxy.loseLeader()

  const { receipt } = redrive()
  await eventually(() => expect(proxy.untrueAnswers).toBeGreaterThan(4))
  proxy.electLeader()

  expect(await receipt).toMatchObject({ ...whole, moved: 6, stillThere: 0 })
  expect([depth('dlq'), depth('work')]).toEqual([0, 6])
})

test('a queue that loses its leader half way is not taken for one that others have emptied', async () => {
  const { proxy, depth, redriveHalfWay } = await setup()
  const run = redriveHalfWay()

  await eventually(() => expect(proxy.untrueAnswers).toBeGreaterThan(2))
  proxy.electLeader()
  run.resume()

  expect(await run.receipt).toMatchObject({ ...whole, moved: 6, stillThere: 0 })
  expect([depth('dlq'), depth('work')]).toEqual([0, 6])
})

test('a queue that stays without a leader while it is walked is walked again on another channel', async () => {
  const { proxy, depth, redriveHalfWay } = await setup()
  let walks = 1
  const run = redriveHalfWay({
    onAgain: () => {
      walks += 1
    },
  })

  // Thirty times a queue that does not know its consumer is enough, and each time it is asked thrice.
  await eventually(() => expect(proxy.untrueAnswers).toBeGreaterThanOrEqual(90))
  proxy.electLeader()
  run.resume()

  expect(await run.receipt).toMatchObject({ ...whole, moved: 6, stillThere: 0 })
  expect(walks).toBe(2)
  expect([depth('dlq'), depth('work')]).toEqual([0, 6])
})

test('a queue without a leader at the end is counted when it has one', async () => {
  const { proxy, depth, redrive } = await setup()
  const { receipt } = redrive({
    limit: 3,
    onProgress: ({ moved }) => {
      if (moved === 3) proxy.loseLeader()
    },
  })

  // So many times the depth is read before less than there should be is believed.
  await eventually(() => expect(proxy.untrueAnswers).toBeGreaterThan(210))
  proxy.electLeader()

  expect(await receipt).toMatchObject({ ...whole, moved: 3, stillThere: 3 })
  expect([depth('dlq'), depth('work')]).toEqual([3, 3])
})
