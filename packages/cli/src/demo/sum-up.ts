import { setTimeout as pause } from 'node:timers/promises'
import type { CompiledTopology, QueueRole } from 'warrenmq/operations'
import type { Stage } from './open-stage.ts'
import type { OrderBook } from './order-book.ts'

export interface HeldMessages {
  readonly queue: string
  readonly role: QueueRole
  readonly messages: number
}

/** Where the orders are, counted by two who do not know of each other: the services and the broker. */
export interface Sum {
  readonly confirmed: number
  /** As the last service counts. */
  readonly delivered: number
  readonly duplicates: number
  /** Queues that hold messages, as the broker counts. */
  readonly held: readonly HeldMessages[]
  readonly addsUp: boolean
}

interface SumTask {
  readonly stage: Stage
  readonly topology: CompiledTopology
  readonly book: OrderBook
  readonly confirmed: number
}

const looks = 50
const lookAgainMs = 100

/** A quorum queue may take a moment to tell what it has; what does not add up by then does not. */
export async function sumUp(task: SumTask): Promise<Sum> {
  let sum = await countOnce(task)
  for (let look = 1; look < looks && !sum.addsUp; look += 1) {
    await pause(lookAgainMs)
    sum = await countOnce(task)
  }
  return sum
}

async function countOnce({ stage, topology, book, confirmed }: SumTask): Promise<Sum> {
  const { delivered } = book.counts
  const { duplicates } = book
  const held: HeldMessages[] = []
  for (const { name, role } of topology.queues) {
    const messages = await stage.countMessages(name)
    if (messages > 0) held.push({ queue: name, role, messages })
  }
  const inQueues = held.reduce((sum, { messages }) => sum + messages, 0)
  const addsUp = confirmed === delivered + inQueues && duplicates === 0
  return { confirmed, delivered, duplicates, held, addsUp }
}
