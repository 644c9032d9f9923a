import type { Clock } from 'warrenmq/operations'
import type { Feed } from './feed.ts'
import { readPlaces, renderEvent, renderPlaces } from './render-event.ts'
import { type EventSink, writeEvents } from './write-events.ts'

export interface FeedFollower {
  readonly out: EventSink
  /** By topic. */
  readonly feeds: ReadonlyMap<string, Pick<Feed, 'follow' | 'since' | 'events'>>
  /** The id of the event that they had last, of this server or another. */
  readonly lastId?: string | undefined
  readonly isOver: () => boolean
  readonly clock?: Clock
}

/** Writes what becomes of several lists as one stream. Each event says in its id where its reader is in all of them. */
export function followFeeds({ out, feeds, lastId, isOver, clock }: FeedFollower): void {
  const told = readPlaces(lastId)
  const places = new Map([...told].filter(([topic]) => feeds.has(topic)))
  const leaves = [...feeds.values()].map((feed) => feed.follow())
  out.once('close', () => {
    for (const leave of leaves) leave()
  })
  writeEvents({
    out,
    isOver,
    ...(clock && { clock }),
    next: () => {
      for (const [name, feed] of feeds) {
        const update = feed.since(places.get(name))
        if (!update) continue
        places.set(name, update.digest)
        return renderEvent({ id: renderPlaces(places), name, data: update.data })
      }
      return undefined
    },
    onChange: (look) => {
      const stops = [...feeds.values()].map((feed) => feed.events.on('changed', look))
      return () => {
        for (const stop of stops) stop()
      }
    },
  })
}
