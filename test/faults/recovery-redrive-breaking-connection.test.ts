import { expect, test } from 'vitest'
import { createEmbeddedRig } from '../integration/recovery/embedded-rig.ts'

const count = 30

test.each(['3.10', '4.0', '4.3'] as const)(
  'a connection that breaks after every message costs no message its last return, on RabbitMQ %s',
  async (profile) => {
    const quorum = { 'x-queue-type': 'quorum', 'x-delivery-limit': 8 }
    const { broker, redrive, depth } = await createEmbeddedRig({ profile, count, arguments: quorum })
    let cuts = 0
    let isOver = false
    const cutAgain = (): void => {
      void broker.faults.cutConnection('after-ack').then(() => {
        cuts += 1
        if (!isOver) cutAgain()
      })
    }
    cutAgain()

    // All are taken, and one is under way at a time.
    const receipt = await redrive({ window: { messages: count, bytes: 1 } }).receipt
    isOver = true

    // It may end before all are moved, where a limit is near; what counts is that none is gone.
    expect(cuts).toBeGreaterThan(3)
    expect(receipt).toMatchObject({ present: count, missing: 0, arrivals: 0, isBalanced: true })
    const [moved, left] = [depth('work'), depth('dlq')]
    expect(moved).toBeGreaterThanOrEqual(receipt.moved)
    expect(left).toBeGreaterThanOrEqual(count - receipt.moved)
    expect(moved + left - count).toBeLessThanOrEqual(receipt.duplicatesPossible)
  },
)
