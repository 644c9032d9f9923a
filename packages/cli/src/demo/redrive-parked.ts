import type { Receipt } from 'warrenmq'
import {
  type Management,
  messageFilter,
  parseFilter,
  type QueueFlow,
  type Redrive,
  readProperty,
  startRedrive,
} from 'warrenmq/operations'
import { renderProgressBar } from '../output/render-progress.ts'
import type { Terminal } from '../output/terminal.ts'
import type { Stage } from './open-stage.ts'
import type { OrderBook } from './order-book.ts'

export interface ParkedTask {
  readonly stage: Stage
  readonly management: Management | undefined
  readonly book: OrderBook
  readonly terminal: Terminal
  readonly flows: readonly QueueFlow[]
  readonly queue: string
  /** As `--where` takes it. */
  readonly where: string
  /** How many fit, for the bar. */
  readonly total: number
  readonly reason: string
}

export const canaryMessages = 10
export const ratePerSecond = 100
/** Long enough to fail at every delay of the ladder, which on the virtual clock takes only the handling. */
const embeddedWaitMs = 600
const realWaitMs = 1_300
const redrawMs = 50

/** Ten first; if none of them comes back dead, the rest, at a rate that the other side stands. */
export async function redriveParked(task: ParkedTask): Promise<Receipt> {
  const { stage, management, book, flows, queue } = task
  const fits = messageFilter(parseFilter(task.where), Date.now())
  const run = startRedrive({
    consuming: stage.consuming,
    publishing: stage.publishing,
    queue,
    flows,
    ratePerSecond,
    ...(management ? { management } : { acceptDeliveryLimit: true }), // its queue was made here, without a limit
    canary: { messages: canaryMessages, waitMs: stage.isEmbedded ? embeddedWaitMs : realWaitMs },
    by: 'warren demo',
    reason: task.reason,
    select: (message) => {
      if (!fits(message)) return false
      book.release(readProperty(message.properties, 'messageId') ?? '')
      return true
    },
  })
  const stopShowing = showProgress(run, task)
  try {
    const receipt = await run.receipt
    if (receipt.outcome !== 'done' || receipt.failed > 0) book.keepReleased()
    return receipt
  } finally {
    stopShowing()
  }
}

function showProgress(run: Redrive, { terminal, total }: ParkedTask): () => void {
  const startedAt = Date.now()
  let isCanaryTold = false
  const timer = setInterval(() => {
    const { moved, state } = run.progress
    const isWatching = state === 'watching'
    if (isWatching && !isCanaryTold) {
      isCanaryTold = true
      terminal.say(`  ${moved} are back at work; the others wait to see if one of them dies again.`)
    }
    const bar = renderProgressBar({ done: moved, total, elapsedMs: Date.now() - startedAt })
    terminal.progress(`  ${bar}${isWatching ? '  (watching)' : ''}`)
  }, redrawMs)
  timer.unref() // a story that was interrupted must not keep the process
  return () => clearInterval(timer)
}
