import type { Actor } from '../actors/actors.ts'
import type { Evidence } from './evidence.ts'

/** Whoever has gone home leaves nothing behind. */
export function checkLeaks({ universe, broker, violate }: Evidence, actors: readonly Actor[]): void {
  for (const { name, process, isDone } of actors) {
    const timers = process && isDone ? universe.timers.keepAlive(process) : 0
    if (timers > 0) violate('no-leaks', `${name} left ${timers} timers that keep it alive`)
  }
  if (broker.connections.size > 0)
    violate('no-leaks', `the broker still has ${broker.connections.size} connections`)
}
