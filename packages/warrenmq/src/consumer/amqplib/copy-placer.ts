import { setMaxListeners } from 'node:events'
import type { PublishAddress } from '../../topology/queue-flow.ts'
import type { AmqplibChannel, AmqplibMessage } from './amqplib-channel.ts'

/** What became of a copy. */
export type Placement =
  | { readonly kind: 'confirmed' }
  /** The broker has no copy, and says why. */
  | { readonly kind: 'refused'; readonly problem: string }
  /** amqplib cannot encode it; to try again would change nothing. */
  | { readonly kind: 'unwritable'; readonly problem: string }
  /** The channel went first: the broker has the message back, and perhaps its copy. */
  | { readonly kind: 'stale' }

/** Publishes copies on a channel of amqplib, and knows when it is gone. */
export interface CopyPlacer {
  /** Aborted when the channel closes. */
  readonly closed: AbortSignal
  place(copy: Copy): Promise<Placement>
}

export interface Copy extends PublishAddress {
  readonly content: Buffer
  readonly options: object
}

/** A copy whose confirm is yet to come. */
interface Pending extends PublishAddress {
  readonly messageId: unknown
  isReturned: boolean
}

const placers = new WeakMap<AmqplibChannel, CopyPlacer>()

/** One for each channel, however many of its consumers are wrapped: they share its listeners. */
export function copyPlacerOf(channel: AmqplibChannel): CopyPlacer {
  const known = placers.get(channel)
  if (known) return known
  const placer = createCopyPlacer(channel)
  placers.set(channel, placer)
  return placer
}

function createCopyPlacer(channel: AmqplibChannel): CopyPlacer {
  const pending = new Set<Pending>()
  const closing = new AbortController()
  setMaxListeners(0, closing.signal) // each message in hand listens to it
  channel.on('close', () => closing.abort())
  channel.on('return', (message) => noteReturn(pending, message))

  const publish = (copy: Copy): Promise<Placement> =>
    new Promise((resolve) => {
      const entry: Pending = { ...copy, messageId: idOf(copy.options), isReturned: false }
      pending.add(entry)
      const end = (placement: Placement): void => {
        pending.delete(entry)
        resolve(placement)
      }
      try {
        channel.publish(copy.exchange, copy.key, copy.content, copy.options, (error) =>
          end(readConfirm(entry, error)),
        )
      } catch (thrown) {
        end(explainThrow(thrown))
      }
    })
  const place = async (copy: Copy): Promise<Placement> => {
    const placement = await publish(copy)
    // amqplib calls back for every copy that is open when its channel closes, and tells of the close afterwards.
    return placement.kind === 'refused' && closing.signal.aborted ? { kind: 'stale' } : placement
  }
  return { closed: closing.signal, place }
}

/**
 * A return does not name the publish that it answers. It comes before its confirm, so every copy to the same address
 * under the same id counts as returned: in doubt a message is published again, and never acknowledged.
 */
function noteReturn(pending: Iterable<Pending>, { fields, properties }: AmqplibMessage): void {
  for (const each of pending) {
    const isThere = each.exchange === fields.exchange && each.key === fields.routingKey
    if (isThere && each.messageId === idOf(properties)) each.isReturned = true
  }
}

function readConfirm({ exchange, key, isReturned }: Pending, error: unknown): Placement {
  if (error) return { kind: 'refused', problem: (error as Error).message }
  if (!isReturned) return { kind: 'confirmed' }
  const place =
    exchange === '' ? `there is no queue "${key}"` : `the exchange "${exchange}" leads to no queue`
  return { kind: 'refused', problem: place }
}

function explainThrow(thrown: unknown): Placement {
  const { name, message } = thrown as Error
  return name === 'IllegalOperationError' ? { kind: 'stale' } : { kind: 'unwritable', problem: message }
}

function idOf(properties: object): unknown {
  return (properties as { messageId?: unknown }).messageId
}
