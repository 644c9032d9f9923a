import type { ProfileName } from '../../packages/warrenmq/src/embedded/model/profile.ts'
import { profiles } from '../../packages/warrenmq/src/embedded/model/profiles/profiles.ts'
import { compileTopology } from '../../packages/warrenmq/src/topology/compile-topology.ts'
import { defineTopology, type Topology } from '../../packages/warrenmq/src/topology/define-topology.ts'
import type { LayoutName } from '../../packages/warrenmq/src/topology/layouts/layout-names.ts'
import type { NetworkWeather } from '../world/pipe-direction.ts'
import type { Random } from '../world/random.ts'
import type { PlannedMessage, Step } from './ledger.ts'

export const exchange = 'shop.events'
/** Nobody consumes from it. Publishes to it and to the work queue are confirmed in any order. */
export const archive = 'shop.archive'
/** The type of message that a recovery knows; it keeps the others. */
export const knownType = 'OrderPlaced'

/** Of consumers that say nothing else. */
export const defaultPoisonLimit = 10

/** What a seed chooses beside the faults. */
export interface Scenario {
  readonly profile: ProfileName
  readonly layout: LayoutName
  readonly workQueue: string
  readonly topology: Topology<string>
  readonly messages: readonly PlannedMessage[]
  readonly publishers: number
  readonly publisherWindow: number
  /** How long a publisher waits at most between two messages. */
  readonly publishPauseMs: number
  readonly consumers: readonly { readonly concurrency: number; readonly prefetch: number }[]
  readonly heartbeatSeconds: number
  readonly weather: NetworkWeather
  /** How long a handler takes at most. */
  readonly workMs: number
  readonly redriveWindow: number
  /** Runs alone that may end a process before a message is parked. */
  readonly poisonLimit: number
  /** Consumers share a store that remembers what is done. */
  readonly isDeduped: boolean
  /** Consumers handle messages of one customer one at a time, and in order. */
  readonly isOrdered: boolean
  /** The longest delay before a retry. */
  readonly longestDelayMs: number
}

const layouts: readonly LayoutName[] = ['warren', 'warren', 'ratatoskr', 'event-bus', 'freeflow', 'isolated']

export function planScenario(random: Random, profile: ProfileName): Scenario {
  const layout = random.pick(layouts)
  // Classic queues keep no transient message; they have no wait queue here, which would lose some in a crash.
  const isClassic = layout === 'warren' && random.chance(0.3)
  const maxAttempts = random.between(2, 4)
  const delays = Array.from({ length: random.between(1, 3) }, () =>
    random.pick(['1s', '5s', '20s', '2m'] as const),
  )
  // Somebody waits for an hour now and then, and the sessions must still be there.
  const isSlow = !isClassic && random.chance(0.1)
  const retryDelays = isSlow ? (['1s', '10m'] as const) : layout === 'warren' ? delays : delays.slice(0, 1)
  const isFanout = layout === 'event-bus'
  // Only a queue of its own namespace comes home in this layout.
  const workQueue = layout === 'freeflow' ? 'freeflow.orders' : 'shop.orders'
  const declaration = {
    layout,
    exchanges: { [exchange]: { type: isFanout ? 'fanout' : 'topic' } },
    queues: {
      [workQueue]: {
        bind: [
          { exchange, key: isFanout ? '' : 'order.*' },
          ...(layout === 'freeflow' ? [{ exchange: 'freeflow.events', key: 'orders.*' }] : []),
        ],
        ...(isClassic
          ? { retry: false, type: 'classic' as const }
          : {
              retry: { delays: layout === 'warren' ? retryDelays : retryDelays.slice(-1), maxAttempts },
              // The broker's own limit, near or far.
              ...(layout === 'warren' && { poisonLimit: random.fork('delivery limit').pick([3, 5, 20]) }),
            }),
      },
      [archive]: {
        layout: 'warren',
        deadLetter: false,
        role: 'dead-letter',
        type: isClassic ? ('classic' as const) : ('quorum' as const),
      },
    },
  } as const
  const redriveWindow = random.between(1, 12)
  const isDeduped = random.fork('dedupe').chance(0.3)
  const planned = planMessages(random, random.between(8, 40))
  // Whoever dies with a claim keeps it for the whole lease.
  const messages = isDeduped ? planned : withPoison(planned, random.fork('poison'))
  const hasPoison = messages.some(({ steps }) => steps.includes('die'))
  return {
    profile,
    layout,
    workQueue,
    topology: withRecovery(declaration, { workQueue, profile, prefetch: redriveWindow }),
    messages,
    publishers: random.between(1, 2),
    publisherWindow: random.between(1, 16),
    publishPauseMs: random.pick([0, 20, 400, 400]),
    consumers: Array.from({ length: random.between(1, 3) }, () => {
      const concurrency = random.between(1, 6)
      return { concurrency, prefetch: concurrency + random.below(8) }
    }),
    heartbeatSeconds: isSlow ? 60 : random.pick([5, 10, 30]),
    weather: {
      latencyMs: random.pick([0.1, 0.5, 5]),
      jitterMs: random.pick([0.5, 5, 60]),
      chunking: random.pick([0, 0.05, 0.4]),
    },
    workMs: random.pick([2, 50, 1500]),
    redriveWindow,
    poisonLimit: hasPoison ? random.fork('poison limit').pick([2, 4, 10]) : defaultPoisonLimit,
    isOrdered: random.chance(0.4),
    isDeduped,
    longestDelayMs: isSlow ? 600_000 : 120_000,
  }
}

/** Recoveries put the known type back into the work queue, and keep the rest. */
function withRecovery(
  declaration: Parameters<typeof defineTopology>[0],
  fields: { workQueue: string; profile: ProfileName; prefetch: number },
): Topology<string> {
  const { workQueue, profile, prefetch } = fields
  const { flows } = compileTopology(defineTopology(declaration), { brokerVersion: profiles[profile].version })
  const dead = flows.find(({ name }) => name === workQueue)!.deadLetterQueue!
  const types = { [knownType]: { exchange: '', key: workQueue } }
  const timeouts = { total: '20m', idle: '10s', empty: '5s', stall: '3m' } as const
  return defineTopology({ ...declaration, recovery: { queues: [dead], types, prefetch, timeouts } })
}

function planMessages(random: Random, count: number): PlannedMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `m${index + 1}`,
    steps: planSteps(random),
    to: random.chance(0.2) ? 'archive' : 'work',
    isBroken: random.chance(0.04),
    isHostile: random.chance(0.06),
    isOfKnownType: random.chance(0.9),
  }))
}

/** In one world of four a few messages end whoever handles them. */
function withPoison(messages: readonly PlannedMessage[], random: Random): readonly PlannedMessage[] {
  if (!random.chance(0.25)) return messages
  const share = random.pick([0.03, 0.1])
  return messages.map((message) => {
    if (!random.chance(share)) return message
    return { ...message, steps: ['die' as const] }
  })
}

function planSteps(random: Random): Step[] {
  const kind = random.next()
  if (kind < 0.5) return ['succeed']
  if (kind < 0.6) return ['reject']
  if (kind < 0.75) return ['throw']
  return [...Array.from({ length: random.between(1, 3) }, () => 'throw' as const), 'succeed']
}
