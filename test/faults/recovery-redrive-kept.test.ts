import { expect, onTestFinished, test } from 'vitest'
import { createEmbeddedRig } from '../integration/recovery/embedded-rig.ts'
import { startProxy } from '../support/start-proxy.ts'

const present = 60

/** Dead letters of which nobody knows where they failed, so that each of them is kept. */
async function setup(profile: '3.10' | '4.0' | '4.3') {
  let cut = (): void => {}
  const rig = await createEmbeddedRig({
    profile,
    count: present,
    headers: {},
    consumingUrl: async (url) => {
      const proxy = await startProxy({ target: Number(new URL(url).port) })
      onTestFinished(() => proxy.close())
      cut = () => proxy.cutAll()
      return proxy.urlFor(url)
    },
  })
  const drain = async (): Promise<string[]> => {
    const bodies: string[] = []
    for (let got = await rig.admin.get('dlq'); got; got = await rig.admin.get('dlq'))
      bodies.push(String(got.body))
    return bodies
  }
  return { ...rig, drain, cut: () => cut() }
}

const inOrder = Array.from({ length: present }, (_, index) => `m-${index}`)
const allKept = {
  outcome: 'done',
  present,
  moved: 0,
  failed: 0,
  kept: present,
  missing: 0,
  arrivals: 0,
  duplicatesPossible: 0,
  isBalanced: true,
}

test.each(['3.10', '4.0', '4.3'] as const)(
  'a pass that keeps all it sees goes on behind its window, and leaves the queue as it was (%s)',
  async (profile) => {
    const { redrive, depth, drain } = await setup(profile)
    let passes = 1

    const receipt = await redrive({
      window: { messages: 10 },
      onAgain: () => {
        passes += 1
      },
    }).receipt

    expect(receipt).toMatchObject(allKept)
    expect(receipt.keptBecause).toEqual([{ reason: 'origin-unknown', count: present }])
    expect(passes).toBe(1)
    expect([depth('dlq'), depth('work')]).toEqual([present, 0])
    expect(await drain()).toEqual(inOrder)
  },
)

test.each(['3.10', '4.0', '4.3'] as const)(
  'a pass that keeps all it sees and is cut off counts each message once, and leaves the queue as it was (%s)',
  async (profile) => {
    const { redrive, depth, drain, cut } = await setup(profile)
    let seen = 0
    let passes = 1

    const receipt = await redrive({
      window: { messages: 10 },
      onKept: () => {
        seen += 1
        if (seen === present / 2) cut()
      },
      onAgain: () => {
        passes += 1
      },
    }).receipt

    expect(receipt).toMatchObject(allKept)
    expect(receipt.keptBecause).toEqual([{ reason: 'origin-unknown', count: present }])
    expect(passes).toBeGreaterThan(1)
    expect(seen).toBeGreaterThan(present)
    expect([depth('dlq'), depth('work')]).toEqual([present, 0])
    expect(await drain()).toEqual(inOrder)
  },
)
