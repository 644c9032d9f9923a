import type { AmqpChannel } from '../../broker/amqp/channel.ts'
import { type IncomingMessage, joinBody } from '../../broker/amqp/message.ts'
import { joinSignals } from '../../join-signals.ts'
import { readProperty } from '../../wire/properties.ts'
import { type HoldTask, holdMessages } from '../hold-messages.ts'
import { prepareLook } from '../prepare-look.ts'
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
  const removed = new Map<string, number>()
  try {
    const { present, depth, ...first } = await holdMessages({
      ...{ ...task, purpose: 'a discard', sink: writer, signal: stopping.signal },
      onMessage: (delivery) => {
        if (tags.length >= limit || !select(delivery)) return undefined
        const { id } = writer.add(delivery, { isRepeated: !hasId(delivery) })
        removed.set(id, (removed.get(id) ?? 0) + 1)
        tags.push(delivery.deliveryTag)
        return 'hold'
      },
      whileHeld: async ({ channel }) => {
        await writer.seal(new Date())
        await verifyBackup(file)
        return acknowledge(channel, tags)
      },
    })
    const rest = await removeLeftovers({ task, removed, expected: present - tags.length, left: depth })
    const isDone = first.removed === tags.length && rest.isClear
    if (isDone) await writer.markRemoved({ removed: tags.length, removedAt: new Date().toISOString() })
    return { file, present, removed: tags.length, left: rest.left, isDone }
  } finally {
    stopping.release()
    await writer.close()
  }
}

function acknowledge(channel: AmqpChannel, tags: readonly number[]): number {
  return tags.filter((tag) => channel.ack(tag) === 'sent').length
}

function hasId({ properties }: IncomingMessage): boolean {
  return readProperty(properties, 'messageId') !== undefined
}

interface Leftovers {
  readonly task: Omit<HoldTask, 'purpose' | 'onMessage' | 'sink'>
  readonly removed: ReadonlyMap<string, number>
  readonly expected: number
  readonly left: number
}

/**
 * An ack can be lost behind the close of its channel. What comes back then was delivered before and is one of
 * those removed; with a message id to prove it, it is acknowledged again. Others that look so stay, and are told.
 */
async function removeLeftovers({ task, removed, expected, left }: Leftovers): Promise<Clearance> {
  if (left <= expected) return { left, isClear: true }
  const tags: number[] = []
  let unproved = 0
  const budget = new Map(removed)
  const { depth } = await holdMessages({
    ...{ ...task, purpose: 'a discard' },
    onMessage: (delivery) => {
      if (!delivery.isRedelivered) return undefined
      const id = identifyMessage({ properties: delivery.properties, body: joinBody(delivery.body) })
      const count = budget.get(id) ?? 0
      if (count === 0) return undefined
      budget.set(id, count - 1)
      if (!hasId(delivery)) {
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
