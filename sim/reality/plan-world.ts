import type { ProfileName } from '../../packages/warrenmq/src/embedded/model/profile.ts'
import { type Duration, parseDuration } from '../../packages/warrenmq/src/message/duration.ts'
import type { Topology } from '../../packages/warrenmq/src/topology/define-topology.ts'
import type { PlannedMessage } from '../actors/ledger.ts'
import { planScenario, type Scenario } from '../actors/scenario.ts'
import { type Fault, type FaultKind, planFaults } from '../nemesis/faults.ts'
import { createRandom, type Random } from '../world/random.ts'

/** A second of the simulation takes so many seconds here: delays, pauses and faults are that much shorter. */
export const pace = 0.05

/** Nobody consumes from it. Re-drives into it can be counted by somebody else, to the last copy. */
export const stillQueue = 'shop.still'

/** So many messages a publisher has in flight at most. */
export const mostPublishes = 3

/** What a seed gives to a real broker: the scenario and the faults of the simulation, at another pace. */
export interface WorldPlan {
  readonly seed: number
  readonly scenario: Scenario
  readonly random: Random
}

export function planWorld(seed: number, profile: ProfileName): WorldPlan {
  const random = createRandom(seed)
  const scenario = planScenario(random.fork('scenario'), profile)
  return { seed, random, scenario: { ...scenario, topology: hasten(scenario) } }
}

/** Messages without an end: those of the scenario, again and again under new ids. */
export function messageAt({ scenario }: Pick<WorldPlan, 'scenario'>, index: number): PlannedMessage {
  const { messages } = scenario
  return { ...messages[index % messages.length]!, id: `m${index + 1}` }
}

const longestDelayMs = 4_000

function hasten({ topology, workQueue }: Scenario): Topology<string> {
  const queue = topology.queues[workQueue]!
  const { retry } = queue
  const delays = retry === false || retry === undefined ? undefined : retry.delays
  const shorter = delays?.map((delay) => Math.min(longestDelayMs, shorten(delay)))
  const timeouts = { total: '40s', idle: '2s', empty: '300ms', stall: '15s' } as const
  return {
    ...topology,
    queues: {
      ...topology.queues,
      ...(shorter && { [workQueue]: { ...queue, retry: { ...(retry as object), delays: shorter } } }),
    },
    ...(topology.recovery && { recovery: { ...topology.recovery, timeouts } }),
  }
}

function shorten(delay: Duration): number {
  return Math.max(20, Math.round(parseDuration(delay) * pace))
}

/**
 * What the nemesis can do to a real broker, the commonest ones several times. The simulation has more: a real broker
 * cannot be told to nack, to confirm late or to have an accident, nor a clock to jump.
 */
export const realKinds: readonly FaultKind[] = [
  ...Array.from({ length: 8 }, () => 'cut' as const),
  ...['black-hole', 'stall', 'stall', 'slow', 'pause', 'pause', 'broker-pause'],
  ...[
    'kill',
    'broker-crash',
    'broker-crash',
    'broker-crash',
    'broker-crash',
    'refuse',
    'http-loss',
    'alarm',
    'unbind',
    'forbid',
  ],
  ...['target-full', 'dead-letters-full', 'policy'],
] as readonly FaultKind[]

const waveWindowsMs = [2_000, 15_000, 40_000]

/** One plan of faults after the other, at the pace of a real broker. */
export function planWave(
  { random }: Pick<WorldPlan, 'random'>,
  { wave, kinds = realKinds }: { wave: number; kinds?: readonly FaultKind[] },
): readonly Fault[] {
  const chance = random.fork(wave === 0 ? 'faults' : `faults ${wave}`)
  const planned = planFaults(chance, { kinds, windowMs: chance.pick(waveWindowsMs) })
  return planned.map((fault) => ({
    ...fault,
    atMs: fault.atMs * pace,
    lastsMs: fault.lastsMs * pace,
    // Nobody writes records here.
    aim: fault.aim === 'record' ? undefined : fault.aim,
  }))
}
