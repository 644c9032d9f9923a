import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import { type IncomingMessage, joinBody } from '../../broker/amqp/message.ts'
import { joinSignals } from '../../join-signals.ts'
import { readProperty } from '../../wire/properties.ts'
import { type HoldTask, holdMessages } from '../hold-messages.ts'
import { prepareLook } from '../prepare-look.ts'
import { readableId } from '../readable-id.ts'
import { type BackupOptions, headerFor } from './backup-queue.ts'
import { BackupWriter } from './backup-writer.ts'
import { identifyMessage } from './identify-message.ts'
import { verifyBackup } from './verify-backup.ts'

export interface DiscardOptions extends BackupOptions {
  /** The most messages to remove. */
  readonly limit?: number
}

export interface DiscardReport {
  readonly file: string
  readonly present: number
  /** In the file, and gone from the queue. */
  readonly removed: number
  /** Ready in the queue afterwards. */
  readonly left: number
  /** The queue holds what it should, so the file says that its messages are gone. */
  readonly isDone: boolean
  /** False: messages had to go back before all were looked at. */
  readonly isWhole: boolean
}

/**
 * Removes messages from a queue, each of them into a backup. The file is written, synced and read back before
 * the first message is acknowledged: whatever happens in between leaves a message in both, never in neither.
 */
export async function discardMessages(options: DiscardOptions): Promise<DiscardReport> {
  const { file, select = () => true, limit = Number.POSITIVE_INFINITY, ...task } = options
  await prepareLook(options) // a queue that is refused leaves no file behind
  const writer = await BackupWriter.open(file, headerFor(options, 'discard'))
  const stopping = joinSignals([task.signal, writer.failing])
  const tags: number[] = []
  const counts = new DiscardCounts()
  try {
    const { present, depth, ...first } = await holdMessages({
      ...{ ...task, purpose: 'a discard', sink: writer, signal: stopping.signal },
      onMessage: (delivery) => {
        if (tags.length >= limit || !select(delivery)) {
          counts.addLeft(delivery)
          return undefined
        }
        const { id } = writer.add(delivery, { isRepeated: idOf(delivery) === undefined })
        counts.addRemoved(delivery, id)
        tags.push(delivery.deliveryTag)
        return 'hold'
      },
      onExtra: (delivery) => counts.addLeft(delivery),
      whileHeld: async ({ channel }) => {
        await writer.seal(new Date())
        await verifyBackup(file)
        return acknowledge(channel, tags)
      },
    })
    const { isWhole } = first
    const rest = await removeLeftovers({
      task,
      counts,
      isWhole,
      expected: present - tags.length,
      left: depth,
    })
    const isDone = first.removed === tags.length && rest.isClear
    if (isDone) await writer.markRemoved({ removed: tags.length, removedAt: new Date().toISOString() })
    return { file, present, removed: tags.length, left: rest.left, isDone, isWhole }
  } finally {
    stopping.release()
    await writer.close()
  }
}

function acknowledge(channel: AmqpChannel, tags: readonly number[]): number {
  return tags.filter((tag) => channel.ack(tag) === 'sent').length
}

function idOf({ properties }: IncomingMessage): string | undefined {
  return readProperty(properties, 'messageId')
}

/** How many messages of each kind were taken, and how many that are alike to the last byte were seen and left. */
class DiscardCounts {
  readonly #removed = new Map<string, number>()
  readonly #left = new Map<string, number>()
  readonly #removedIds = new Set<string>()

  addRemoved(message: IncomingMessage, identity: string): void {
    add(this.#removed, identity)
    const id = idOf(message)
    if (id !== undefined) this.#removedIds.add(id)
  }

  addLeft(message: IncomingMessage): void {
    // Who has an id of its own has no twin, and that is nearly everyone. What nobody can read was not removed.
    if (this.#removedIds.has(readableId(message))) add(this.#left, identityOf(message))
  }

  /** Whether one that is in the queue again was removed; as many as were left are not. */
  takeRemoved(message: IncomingMessage): boolean {
    const identity = identityOf(message)
    return !takeOne(this.#left, identity) && takeOne(this.#removed, identity)
  }
}

function identityOf({ properties, body }: IncomingMessage): string {
  return identifyMessage({ properties, body: joinBody(body) })
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

function takeOne(counts: Map<string, number>, name: string): boolean {
  const count = counts.get(name) ?? 0
  if (count > 0) counts.set(name, count - 1)
  return count > 0
}

interface Leftovers {
  readonly task: Omit<HoldTask, 'purpose' | 'onMessage' | 'sink'>
  readonly counts: DiscardCounts
  /** All were seen: one that nobody has seen may be the twin of one that was removed. */
  readonly isWhole: boolean
  readonly expected: number
  readonly left: number
}

/**
 * An ack can be lost behind the close of its channel. What comes back then was delivered before and is one of
 * those removed; with a message id to prove it, it is acknowledged again. Others that look so stay, and are told.
 */
async function removeLeftovers({ task, counts, isWhole, expected, left }: Leftovers): Promise<Clearance> {
  const surplus = left - expected
  if (surplus <= 0) return { left, isClear: true }
  const tags: number[] = []
  let unproved = 0
  const { depth } = await holdMessages({
    ...{ ...task, purpose: 'a discard' },
    onMessage: (delivery) => {
      const mayBeLeft = delivery.isRedelivered && tags.length + unproved < surplus
      if (!mayBeLeft || !counts.takeRemoved(delivery)) return undefined
      if (idOf(delivery) === undefined || !isWhole) {
        unproved += 1
        return undefined
      }
      tags.push(delivery.deliveryTag)
      return 'hold'
    },
    whileHeld: ({ channel }) => Promise.resolve(acknowledge(channel, tags)),
  })
  return { left: depth, isClear: unproved === 0 }
}

interface Clearance {
  readonly left: number
  /** None of those removed is still there. */
  readonly isClear: boolean
}
