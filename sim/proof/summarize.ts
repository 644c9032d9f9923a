import { availableParallelism } from 'node:os'
import type { SimArguments } from '../parse-arguments.ts'
import type { RunReport } from '../run-one.ts'

/** What all runs together say, as docs/proof.md tells it. */
export interface SeedsSummary {
  readonly from: number
  readonly to: number
  readonly profiles: readonly string[]
  /** Each seed ran on one version, the next one on the next; otherwise each on all. */
  readonly isRotating: boolean
  /** Of the code that ran. */
  readonly commit: string
  readonly runs: number
  /** Each ran a second time, and the hashes were compared. */
  readonly isTwice: boolean
  readonly tookSeconds: number
  /** Time of processors: on a machine that others use too, the run takes longer. */
  readonly cpuSeconds: number
  readonly machine: string
  readonly virtualHours: number
  readonly events: number
  readonly layouts: Readonly<Record<string, number>>
  readonly faults: Readonly<Record<string, number>>
  readonly violations: readonly { seed: number; profile: string; rule: string; detail: string }[]
}

export function summarize(
  reports: readonly RunReport[],
  { args, tookMs }: { args: Pick<SimArguments, 'isTwice' | 'isRotating' | 'profiles'>; tookMs: number },
): SeedsSummary {
  const seeds = reports.map(({ seed }) => seed)
  const { user, system } = process.cpuUsage()
  const times = args.isTwice ? 2 : 1
  return {
    from: Math.min(...seeds),
    to: Math.max(...seeds),
    profiles: args.profiles,
    isRotating: args.isRotating,
    commit: process.env.SIM_COMMIT ?? 'unknown',
    runs: reports.length,
    isTwice: args.isTwice,
    tookSeconds: Math.round(tookMs / 1000),
    cpuSeconds: Math.round((user + system) / 1_000_000),
    machine: `${availableParallelism()} cores, Node ${process.versions.node}`,
    virtualHours: Number(
      (reports.reduce((sum, { virtualMs }) => sum + times * virtualMs, 0) / 3_600_000).toFixed(1),
    ),
    events: reports.reduce((sum, { events }) => sum + times * events, 0),
    layouts: countBy(reports.map(({ layout }) => layout)),
    faults: countBy(reports.flatMap(({ faults }) => faults.map(({ kind }) => kind))),
    violations: reports.flatMap(({ seed, profile, violations }) =>
      violations.map(({ rule, detail }) => ({ seed, profile, rule, detail: detail.slice(0, 500) })),
    ),
  }
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const name of names.toSorted()) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries(counts)
}
