import type { AmqpConnection } from '../../packages/warrenmq/src/embedded/server/amqp-connection.ts'
import type { Actor } from '../actors/actors.ts'
import type { Evidence } from './evidence.ts'

/** Whoever has gone home leaves nothing behind. */
export function checkLeaks({ broker, violate }: Evidence, actors: readonly Actor[]): void {
  for (const { name, timersLeft } of actors) {
    if (timersLeft > 0) violate('no-leaks', `${name} left ${timersLeft} timers that keep it alive`)
  }
  if (broker.connections.size > 0)
    violate(
      'no-leaks',
      `the broker still has ${broker.connections.size} connections: ${[...broker.connections].map(describe).join('; ')}`,
    )
}

function describe(connection: AmqpConnection): string {
  const { name, channels } = connection
  const called = connection.clientProperties().find((field) => field.name === 'connection_name')?.value.value
  return `${name} of ${String(called ?? 'nobody')}, ${connection.phase()}, with ${channels.size} channels`
}
