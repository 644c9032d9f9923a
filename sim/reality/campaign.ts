import type { Counts, Judgement } from './judge.ts'
import type { SeedJudgement } from './storm.ts'
import type { Tally } from './tally.ts'

/** What one run of the campaign came to, as it is kept in the results. */
export interface Campaign {
  readonly participant: string
  readonly commit: string
  readonly broker: string
  readonly version: string
  readonly nodes: number
  readonly seeds: readonly [number, number]
  readonly rounds: number
  readonly seconds: number
  readonly faults: Tally['faults']
  readonly cutsAndPauses: number
  readonly nodeKills: number
  readonly messages: Judgement['messages']
  readonly counts: Counts
  readonly duplicatesAllowed: number
  readonly receipts: Judgement['receipts']
  readonly violations: readonly { seed: number; rule: string; detail: string }[]
}

export function createCampaign(of: {
  readonly broker: string
  readonly version: string
  readonly nodes: number
  readonly commit: string
  readonly firstSeed: number
  readonly tally: Tally
}) {
  const { tally, firstSeed, ...place } = of
  const beganAt = performance.now()
  const all: SeedJudgement[] = []
  const failures: { seed: number; rule: string; detail: string }[] = []
  let rounds = 0
  const result = (): Campaign => ({
    participant: 'warren',
    ...place,
    seeds: [firstSeed, Math.max(firstSeed, ...all.map(({ seed }) => seed))],
    rounds,
    seconds: Math.round((performance.now() - beganAt) / 1000),
    faults: tally.faults,
    cutsAndPauses: tally.cutsAndPauses,
    nodeKills: tally.nodeKills,
    messages: sumOf(all.map(({ messages }) => messages)),
    counts: sumOf(all.map(({ counts }) => counts)),
    duplicatesAllowed: all.reduce((sum, { duplicatesAllowed }) => sum + duplicatesAllowed, 0),
    receipts: sumOf(all.map(({ receipts }) => receipts)),
    violations: [
      ...all.flatMap(({ seed, violations }) =>
        violations.map(({ rule, detail }) => ({ seed, rule, detail: detail.slice(0, 2000) })),
      ),
      ...failures,
    ],
  })
  return {
    add(judgements: readonly SeedJudgement[]): void {
      rounds += 1
      all.push(...judgements)
    },
    /** The campaign itself came to grief: what it has so far still counts. */
    fail(error: unknown): void {
      const detail = error instanceof Error ? String(error.stack) : String(error)
      failures.push({ seed: firstSeed, rule: 'the-campaign-runs', detail: detail.slice(0, 2000) })
    },
    result,
    describe: () => JSON.stringify({ ...result(), violations: result().violations.length }),
  }
}

function sumOf<Numbers extends object>(parts: readonly Numbers[]): Numbers {
  const sum: Record<string, number> = {}
  for (const part of parts)
    for (const [name, value] of Object.entries(part) as [string, number][])
      sum[name] = (sum[name] ?? 0) + value
  return sum as Numbers
}
