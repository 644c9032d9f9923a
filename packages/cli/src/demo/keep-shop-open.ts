import { createTurns } from 'warrenmq/operations'
import type { DemoControls } from '../http-api/demo-controls.ts'
import { openShop } from './open-shop.ts'
import type { Play } from './play.ts'
import type { Shop } from './start-services.ts'
import { takeOrders } from './take-orders.ts'

/** The customers of before the visitor came; long enough ago that what fails has come to its end. */
const firstOrders = 400
const firstDayMs = 40 * 60_000
const tickMs = 1_000
const ordersPerTick = 2
/** The services remember each order, so the shop closes some day. */
const mostOrders = 20_000

/** A shop in which orders keep coming in and failing, for a visitor who turns its clock. */
export interface OpenShop {
  readonly shop: Shop
  readonly controls: DemoControls
}

export async function keepShopOpen(play: Play): Promise<OpenShop> {
  const { stage } = play
  const byHand = { ...stage, letTimePass: () => {} } // the visitor turns the clock, and nobody else
  const { shop } = await openShop({ ...play, stage: byHand })
  const turns = createTurns()
  let placed = 0
  let isMended = false

  const place = async (count: number): Promise<void> => {
    const from = placed + 1
    placed += count
    await takeOrders({ ...shop, count, from })
  }
  const forward = (milliseconds: number): Promise<void> => turns.take(() => stage.forward(milliseconds))

  await place(firstOrders)
  await forward(firstDayMs)
  const stop = everyTick(
    async (elapsedMs) => {
      if (placed < mostOrders) await place(ordersPerTick)
      await forward(elapsedMs)
    },
    (error) => play.terminal.say(`The shop missed a beat: ${(error as Error).message}`),
  )
  play.atEnd(stop)
  return {
    shop,
    controls: {
      forward,
      read: () => {
        const { delivered, moving, waiting, parked } = shop.book.counts
        const orders = { placed, delivered, moving, waiting, parked }
        return { now: new Date(stage.now()).toISOString(), isMended, orders }
      },
      mend: (isMendedNow) => {
        isMended = isMendedNow
        shop.world.mend(isMended)
      },
    },
  }
}

/** Lets the time of the shop go on with that of the visitor, one step at a time. Returns how to end it. */
function everyTick(
  work: (elapsedMs: number) => Promise<void>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let isOver = false
  let lastMs = performance.now()
  let working = Promise.resolve()
  const step = async (): Promise<void> => {
    if (isOver) return
    const nowMs = performance.now()
    const elapsedMs = Math.round(nowMs - lastMs)
    lastMs = nowMs
    await work(elapsedMs)
  }
  const timer = setInterval(() => {
    working = working.then(step).catch((error: unknown) => {
      if (!isOver) onError(error)
    })
  }, tickMs)
  return async () => {
    isOver = true
    clearInterval(timer)
    await working
  }
}
