import { oldSessionEvents, type SessionEvents } from './broker/amqp/session-events.ts'
import { createEvents, type Events } from './events.ts'

/** The events of several sessions, as if they were of one. */
export function mergeEvents(sources: readonly Events<SessionEvents>[]): Events<SessionEvents> {
  const merged = createEvents<SessionEvents>(oldSessionEvents)
  for (const name of new Set(Object.values(oldSessionEvents)))
    for (const source of sources) source.on(name, (event) => merged.emit(name, event))
  return merged
}
