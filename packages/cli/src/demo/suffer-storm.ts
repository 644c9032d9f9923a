import { renderProgressBar } from '../output/render-progress.ts'
import type { Terminal } from '../output/terminal.ts'
import type { Rung } from './ladder.ts'
import type { OrderBook } from './order-book.ts'
import type { Play } from './play.ts'
import { renderLadder, renderTimes } from './render-ladder.ts'
import { renderCount, renderSum } from './render-sum.ts'
import type { Shop } from './start-services.ts'
import { type Sum, sumUp } from './sum-up.ts'
import { takeOrders } from './take-orders.ts'

export interface Storm {
  readonly published: number
  readonly confirmed: number
  readonly ladder: readonly Rung[]
  /** How long it took on the broker's clock, and on the wall. */
  readonly brokerMs: number
  readonly wallMs: number
  readonly sum: Sum
}

const orderCount = 1_000
/** So long may nothing happen before the rest is given up and counted where it stands. */
const patienceMs = 20_000
const redrawMs = 50

/** Orders come in, fail, are tried again and are parked, until nothing moves any more. */
export async function sufferStorm(play: Play, shop: Shop): Promise<Storm> {
  const { stage, terminal, chapter } = play
  const { say } = terminal
  const startedAt = { wallMs: Date.now(), brokerMs: stage.now() }
  chapter(`${renderCount(orderCount)} orders on a bad day`)
  say('  The payment gateway times out, the carrier answers 503, and some bodies are truncated.')
  const confirmed = await takeOrders({ count: orderCount, ...shop })
  say(`  ${renderCount(orderCount)} published, ${renderCount(confirmed)} confirmed by the broker.`)

  chapter('Retries climb, and messages that keep failing are parked')
  await awaitRest(shop.book, terminal)
  const times = { brokerMs: stage.now() - startedAt.brokerMs, wallMs: Date.now() - startedAt.wallMs }
  const ladder = shop.ladder.rungs()
  for (const line of renderLadder(ladder)) say(`  ${line}`)
  if (stage.isEmbedded) say(`  ${renderTimes(times)}`)
  const sum = await sumUp({ stage, ...shop, confirmed })
  say(`  ${renderSum(sum)}`)
  return { published: orderCount, confirmed, ladder, ...times, sum }
}

/** Waits until every order is at an end, with a bar that moves. */
export async function awaitRest(book: OrderBook, terminal: Terminal): Promise<void> {
  const startedAt = Date.now()
  const timer = setInterval(() => {
    const { delivered, parked, waiting } = book.counts
    const bar = renderProgressBar({
      done: delivered + parked,
      total: orderCount,
      elapsedMs: Date.now() - startedAt,
    })
    terminal.progress(`  ${bar}  ${waiting} wait`)
  }, redrawMs)
  timer.unref() // a story that was interrupted must not keep the process
  try {
    await book.whenAtRest({ patienceMs })
  } finally {
    clearInterval(timer)
  }
}
