import { formatDuration } from '../../message/duration.ts'
import type { LiveIndex } from '../live-topology.ts'
import type { LayoutGuess } from './layout.ts'

/** Completes a guess with the delay of the one wait queue, or drops it where there is no such queue. */
export function guessOneWaitQueue({
  live,
  waitQueue,
  guess,
}: {
  live: LiveIndex
  waitQueue: string
  guess: Omit<LayoutGuess, 'delaysMs'>
}): LayoutGuess | undefined {
  const ttl = live.queue(waitQueue)?.arguments['x-message-ttl']
  return typeof ttl === 'number' ? { ...guess, delaysMs: [ttl] } : undefined
}

/** The delays of the queues whose names are `prefix` followed by their own TTL, shortest first. */
export function guessTiers({ live, prefix }: { live: LiveIndex; prefix: string }): readonly number[] {
  return live
    .tiersUnder(prefix)
    .map(({ name, arguments: args }) => ({ label: name.slice(prefix.length), ttl: args['x-message-ttl'] }))
    .flatMap(({ label, ttl }) => (typeof ttl === 'number' && formatDuration(ttl) === label ? [ttl] : []))
    .sort((left, right) => left - right)
}
