import type { Broker } from './broker.ts'
import { removeQueue } from './create-broker.ts'
import { removeExchange } from './vhost.ts'

/** The broker is gone: nothing happens until it is restarted. Its connections are cut at the same time. */
export function takeDown(broker: Broker): void {
  broker.phase = 'down'
}

/**
 * Brings a broker back with what survives: durable exchanges and queues, and their persistent messages. What
 * expired meanwhile dies at once, and at that moment a quorum queue cannot take a dead letter yet.
 */
export function bringUp(broker: Broker): void {
  for (const vhost of broker.vhosts.values()) {
    for (const queue of [...vhost.queues.values()]) {
      if (queue.isDurable) queue.forgetTransient()
      else removeQueue(broker, vhost, queue)
    }
    for (const exchange of [...vhost.exchanges.values()]) {
      if (!exchange.isDurable) removeExchange(vhost, exchange)
    }
  }
  broker.phase = 'booting'
  const missed = broker.missed.splice(0)
  broker.inbox.run(() => {
    for (const task of missed) task()
  })
  broker.inbox.run(() => {
    for (const { queues } of broker.vhosts.values()) for (const queue of queues.values()) queue.restored()
  })
  broker.phase = 'up'
}
