import type { Dlq } from '../contract/contract.ts'
import { countCauses } from '../snapshot-index/count-causes.ts'
import type { KeptSnapshot } from './kept-snapshot.ts'

/** What a list of queues tells of each. */
export type SnapshotDeaths = Pick<Dlq, 'oldestDeath' | 'mainCause'>

export const noDeaths: SnapshotDeaths = { oldestDeath: null, mainCause: null }

/** Counts once for each snapshot: it does not change any more, and lists are asked for every second. */
export function createDeathReader(): (done: KeptSnapshot) => SnapshotDeaths {
  const known = new WeakMap<KeptSnapshot, SnapshotDeaths>()
  return (done) => {
    const deaths = known.get(done) ?? countDeaths(done)
    known.set(done, deaths)
    return deaths
  }
}

function countDeaths({ columns, asOfMs }: KeptSnapshot): SnapshotDeaths {
  const causes = countCauses(columns, undefined, () => '')
  const [main] = causes
  if (!main) return noDeaths
  const { id, label, kind, count } = main
  const deaths = causes.flatMap(({ first }) => first ?? []).toSorted()
  return {
    oldestDeath: deaths[0] ?? null,
    mainCause: { id, label, kind, count, asOf: new Date(asOfMs).toISOString() },
  }
}
