import { type Clock, realClock } from 'warrenmq/operations'
import type { Caller } from '../auth/caller.ts'
import { viewOfCaller } from '../auth/view-of-caller.ts'
import type { EventTopic } from '../contract/contract.ts'
import { Feed } from './feed.ts'
import type { Topic } from './topics.ts'

/** Gives the feed of a topic that all share who may see the same of it. */
export type FeedFor = (topic: EventTopic, caller: Caller) => Feed

/** How long a feed is remembered that nobody follows: who comes back within it is told only what has changed. */
const rememberedMs = 60_000

export function createFeeds(
  topics: Readonly<Record<EventTopic, Topic>>,
  { onError, clock = realClock }: { readonly onError: (error: unknown) => void; readonly clock?: Clock },
): FeedFor {
  const known = new Map<string, Feed>()

  function forgetLater(name: string): void {
    clock.schedule(rememberedMs, () => {
      if (known.get(name)?.isFollowed) forgetLater(name)
      else known.delete(name)
    })
  }

  return (topic, caller) => {
    const name = `${topic} ${viewOfCaller(caller)}`
    const found = known.get(name)
    if (found) return found
    const { read, edition, everyMs } = topics[topic]
    const feed = new Feed({ read: () => read(caller), edition, everyMs, onError, clock })
    known.set(name, feed)
    forgetLater(name)
    return feed
  }
}
