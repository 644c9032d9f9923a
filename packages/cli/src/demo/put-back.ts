import type { Receipt } from 'warrenmq'
import { type Management, renderReceipt } from 'warrenmq/operations'
import type { ParkedCauses } from './ask-why.ts'
import type { Play } from './play.ts'
import { canaryMessages, ratePerSecond, redriveParked } from './redrive-parked.ts'
import type { Shop } from './start-services.ts'
import { awaitRest } from './suffer-storm.ts'

/** The causes that somebody has mended. A body that is broken stays so, whoever reads it. */
const mended = [
  { where: 'cause:TimeoutError', pattern: /^TimeoutError/, reason: 'the gateway answers again' },
  { where: 'cause:503', pattern: /503/, reason: 'the carrier is up again' },
] as const

/** Mends the world outside, and puts back what died of it. */
export async function putBack(
  play: Play,
  fields: {
    readonly shop: Shop
    readonly management: Management | undefined
    readonly parked: readonly ParkedCauses[]
  },
): Promise<readonly Receipt[]> {
  const { shop, management, parked } = fields
  const { stage, terminal, chapter } = play
  const { say, paint } = terminal
  chapter('The fix is deployed: ten first, then the rest')
  shop.world.mend()
  const receipts: Receipt[] = []
  for (const { queue, where, reason, total } of findMended(parked)) {
    say(
      paint(
        'cyan',
        `  $ warren dlq redrive ${queue} --where "${where}" --canary ${canaryMessages} --rate ${ratePerSecond}`,
      ),
    )
    const receipt = await redriveParked({
      stage,
      management,
      terminal,
      queue,
      where,
      reason,
      total,
      book: shop.book,
      flows: shop.topology.flows,
    })
    for (const line of renderReceipt(receipt)) say(`  ${line}`)
    receipts.push(receipt)
  }
  await awaitRest(shop.book, terminal)
  return receipts
}

interface Mended {
  readonly queue: string
  readonly where: string
  readonly reason: string
  readonly total: number
}

function findMended(parked: readonly ParkedCauses[]): readonly Mended[] {
  return parked.flatMap(({ queue, causes }) =>
    mended.flatMap(({ where, pattern, reason }) => {
      const fitting = causes.filter(({ label }) => pattern.test(label))
      const total = fitting.reduce((sum, { count }) => sum + count, 0)
      return total === 0 ? [] : [{ queue, where, reason, total }]
    }),
  )
}
