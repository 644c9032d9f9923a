import type { Clock } from '../../clock.ts'
import type { Permission } from './access/access.ts'
import type { Broker } from './broker.ts'
import { createSeededRandom } from './collections/seeded-random.ts'
import { createInbox } from './inbox.ts'
import type { Profile } from './profile.ts'
import { forwardDeadLetter, recordDeath, sendDeadLetter } from './queue/dead-letter.ts'
import { createDeadline } from './queue/deadline.ts'
import type { Queue, QueueSurroundings } from './queue/queue.ts'
import { createServerNames } from './server-names.ts'
import { createVhost, removeBindingsTo, type Vhost } from './vhost.ts'

export interface BrokerOptions {
  readonly profile: Profile
  readonly clock: Clock
  /** For the names that the broker gives; the same seed gives the same names. */
  readonly seed: number
  /** Confirms come in the order of the publishes, as they need not. */
  readonly confirmsInOrder?: boolean
}

/** A broker as RabbitMQ is after its first start: the vhost `/` and the user `guest`. */
export function createBroker({ profile, clock, seed, confirmsInOrder }: BrokerOptions): Broker {
  const broker: Broker = {
    profile,
    clock,
    names: createServerNames(seed),
    inbox: createInbox(),
    vhosts: new Map(),
    users: new Map(),
    permissions: new Map(),
    topicPermissions: new Map(),
    userLimits: new Map(),
    replyChannels: new Map(),
    globalParameters: new Map(),
    confirmOrder: confirmsInOrder ? undefined : createSeededRandom(seed),
    nextChannelId: 1,
    phase: 'up',
    missed: [],
  }
  broker.users.set('guest', {
    name: 'guest',
    tags: ['administrator'],
    credentials: { kind: 'password', password: 'guest' },
  })
  addVhost(broker, '/').description = 'Default virtual host'
  grant(broker, { vhost: '/', user: 'guest', permission: { configure: '.*', write: '.*', read: '.*' } })
  return broker
}

export function addVhost(broker: Broker, name: string): Vhost {
  const vhost = createVhost(name, broker.profile)
  broker.vhosts.set(name, vhost)
  broker.permissions.set(name, new Map())
  return vhost
}

export function grant(
  broker: Broker,
  { vhost, user, permission }: { vhost: string; user: string; permission: Permission },
): void {
  broker.permissions.get(vhost)?.set(user, permission)
}

export function permissionOf(broker: Broker, vhost: string, user: string): Permission | undefined {
  return broker.permissions.get(vhost)?.get(user)
}

/** Ends a queue: its messages are gone, its bindings too, and its consumers are told. */
export function removeQueue(broker: Broker, vhost: Vhost, queue: Queue): void {
  if (vhost.queues.get(queue.name) !== queue) return
  vhost.queues.delete(queue.name)
  const consumers = queue.stop()
  removeBindingsTo(vhost, queue)
  broker.inbox.post(() => {
    for (const consumer of consumers) consumer.channel.consumerCancelled(consumer)
  })
}

/** What the queues of a vhost may ask of the broker. */
export function surroundingsOf(broker: Broker, vhost: Vhost): QueueSurroundings {
  const { clock, profile, inbox } = broker
  return {
    clock,
    profile,
    createDeadline: (onReached) =>
      createDeadline(clock, () => {
        if (broker.phase === 'down') broker.missed.push(onReached)
        else inbox.run(onReached)
      }),
    isUp: () => broker.phase !== 'down',
    postpone: (task) => inbox.post(task),
    deadLetter: (queue, message, reason) => {
      if (queue.settings().deadLetterExchange === undefined) return
      inbox.post(() => sendDeadLetter({ broker, vhost, queue, message, reason }))
    },
    recordDeath: (queue, message, reason) => recordDeath({ broker, vhost, queue, message, reason }),
    forward: (letter) => forwardDeadLetter({ broker, vhost, ...letter }),
    remove: (queue) => removeQueue(broker, vhost, queue),
  }
}
