import type { Actor } from '../actors/actors.ts'
import type { Evidence } from './evidence.ts'

/** Whoever has gone home leaves nothing behind. */
export function checkLeaks({ broker, violate }: Evidence, actors: readonly Actor[]): void {
  for (const { name, timersLeft } of actors) {
    if (timersLeft > 0) violate('no-leaks', `${name} left ${timersLeft} timers that keep it alive`)
  }
  if (broker.connections.size > 0)
    violate('no-leaks', `the broker still has ${broker.connections.size} connections`)
}
