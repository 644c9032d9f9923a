import type { Random } from '../world/random.ts'
import type { AimedMoment } from './aim.ts'

/** All that the nemesis can do. */
export const faultKinds = [
  'cut',
  'black-hole',
  'stall',
  'kill',
  'broker-crash',
  'broker-pause',
  'pause',
  'alarm',
  'refuse',
  'http-loss',
  'close-channels',
  'nack',
  'accident',
  'late-confirm',
  'clock-jump',
  'disk-full',
  'unbind',
  'target-full',
  'forbid',
  'slow',
  'dead-letters-full',
  'policy',
  'delete-queue',
  'forge',
] as const

export type FaultKind = (typeof faultKinds)[number]

/** One deed of the nemesis. */
export interface Fault {
  readonly kind: FaultKind
  /** After the actors have begun. */
  readonly atMs: number
  /** How long it lasts, where it does. */
  readonly lastsMs: number
  /** It waits for this moment of a re-drive, recovery, discard, restore or server, and strikes whoever does it. */
  readonly aim: AimedMoment | undefined
  /** It lets so many of these moments come, and strikes at the last of them. */
  readonly nth: number
  /** Which of those it could hit, as a share of them. */
  readonly choice: number
}

const aims: readonly AimedMoment[] = ['deed', 'copy', 'copy', 'ack', 'record']

/** Some faults of these kinds, in the order of time. None may be among them, so that the quiet way is tried, too. */
export function planFaults(
  random: Random,
  { kinds, windowMs }: { kinds: readonly FaultKind[]; windowMs: number },
): readonly Fault[] {
  if (kinds.length === 0) return []
  const count = random.chance(0.1) ? 0 : random.between(1, 12)
  const aiming = random.pick([0, 0.3, 0.8])
  const drawn = kinds.filter(() => random.chance(0.6))
  // A queue that refuses when it is full has not got what it nacks; the fault nacks what a queue has.
  const some = random.chance(0.5)
    ? drawn.filter((kind) => kind !== 'nack')
    : drawn.filter((kind) => kind !== 'target-full' && kind !== 'dead-letters-full')
  const chosen = some.length > 0 ? some : kinds
  return Array.from({ length: count }, () => {
    const aim = random.chance(aiming) ? random.pick(aims) : undefined
    return {
      kind: random.pick(chosen),
      atMs: Math.floor(random.next() * windowMs),
      lastsMs: Math.floor(random.next() ** 2 * 40_000) + 10,
      choice: random.next(),
      aim,
      nth: aim === 'deed' ? random.between(1, 2) : random.between(1, 6),
    }
  }).sort((one, other) => one.atMs - other.atMs)
}
