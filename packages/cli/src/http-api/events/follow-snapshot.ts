import type { Clock } from 'warrenmq/operations'
import type { SnapshotGrowth } from '../contract/contract.ts'
import { digestText } from './digest-list.ts'
import { renderEvent } from './render-event.ts'
import { type EventSink, writeEvents } from './write-events.ts'

/** A snapshot as a server-sent event. */
export interface GrowthEvent {
  readonly id: string
  readonly text: string
  /** The snapshot has ended. */
  readonly isLast: boolean
}

export function growthEvent(growth: SnapshotGrowth): GrowthEvent {
  const { id: snapshot, state } = growth.snapshot
  const isLast = state !== 'running'
  const data = JSON.stringify(growth)
  // The queue changes on after the end, and whoever has seen the end is not to be told of it again.
  const id = digestText(isLast ? `${snapshot} ${state}` : data)
  return { id, text: renderEvent({ id, name: 'snapshot', data }), isLast }
}

export interface SnapshotFollower {
  readonly out: EventSink
  /** What is to be told now; undefined while there is nothing to tell. */
  readonly read: () => GrowthEvent | undefined
  readonly lastId?: string | undefined
  /** Nothing more will come: it was erased, this server ends, or who reads may not any more. */
  readonly isOver: () => boolean
  readonly clock?: Clock
}

/** Writes server-sent events: how far it is and what it found, and a last time when it has ended. */
export function followSnapshot({ out, read, lastId, isOver, clock }: SnapshotFollower): void {
  let sentId = lastId
  let hasEnded = false
  writeEvents({
    out,
    next: () => {
      const event = hasEnded ? undefined : read()
      if (!event) return undefined
      hasEnded = event.isLast
      if (event.id === sentId) return undefined
      sentId = event.id
      return event.text
    },
    isOver: () => hasEnded || isOver(),
    ...(clock && { clock }),
  })
}
