import type { IncomingMessage } from '../broker/amqp/message.ts'
import { causeOf } from '../message/fingerprint-cause.ts'
import { readProperty } from '../wire/properties.ts'
import { diedAt } from './read-dead-letter.ts'

/** The dead letters of one cause. */
export interface CauseGroup {
  readonly id: string
  readonly label: string
  readonly kind: 'error' | 'death' | 'unknown'
  readonly count: number
  /** When the first and the last of them died, as far as they tell, in ISO 8601. */
  readonly first: string | undefined
  readonly last: string | undefined
  /** The id of one of them. */
  readonly sample: string | undefined
}

interface OpenGroup {
  readonly id: string
  readonly label: string
  readonly kind: CauseGroup['kind']
  readonly sample: string | undefined
  count: number
  firstMs: number
  lastMs: number
}

export interface CauseGroups {
  add(message: IncomingMessage): void
  /** The largest first. */
  list(): readonly CauseGroup[]
}

/** Groups messages by why they died. Holds one entry per cause, however many messages there are. */
export function createCauseGroups(): CauseGroups {
  const groups = new Map<string, OpenGroup>()
  return {
    add: ({ properties }) => {
      const headers = readProperty(properties, 'headers')
      const { id, label, kind } = causeOf(headers)
      const timeMs = diedAt(headers)
      let group = groups.get(id)
      if (!group) {
        const sample = readProperty(properties, 'messageId')
        group = { id, label, kind, sample, count: 0, firstMs: Number.POSITIVE_INFINITY, lastMs: 0 }
        groups.set(id, group)
      }
      group.count += 1
      if (timeMs === undefined) return
      group.firstMs = Math.min(group.firstMs, timeMs)
      group.lastMs = Math.max(group.lastMs, timeMs)
    },
    list: () => [...groups.values()].toSorted((left, right) => right.count - left.count).map(close),
  }
}

function close({ firstMs, lastMs, ...group }: OpenGroup): CauseGroup {
  const isTimed = lastMs > 0
  return {
    ...group,
    first: isTimed ? new Date(firstMs).toISOString() : undefined,
    last: isTimed ? new Date(lastMs).toISOString() : undefined,
  }
}
