import type { SeedJudgement } from './storm.ts'
import { Tally } from './tally.ts'

/** What one run of the campaign came to: one entry of the results. Runs of the same place are added up there. */
export interface Campaign {
  readonly participant: string
  /** Which broker it was, in words. */
  readonly where: string
  readonly version: string
  readonly nodes: number
  readonly commit: string
  readonly seeds: readonly [number, number]
  readonly rounds: number
  readonly seconds: number
  /** What has really struck, in rounds that were judged. */
  readonly faults: Tally['faults']
  readonly cutsAndPauses: number
  readonly nodeKills: number
  readonly published: number
  readonly confirmed: number
  readonly handled: number
  readonly queued: number
  readonly sealed: number
  readonly lost: number
  readonly recovered: number
  readonly unexpected: number
  readonly duplicated: number
  readonly duplicatesAllowed: number
  readonly receipts: number
  /** Of the receipts: those of which every copy could be counted. */
  readonly exactReceipts: number
  readonly restores: number
  readonly falseReceipts: number
  readonly violations: readonly { seed: number; rule: string; detail: string }[]
}

export interface CampaignPlace {
  readonly version: string
  readonly where: string
  readonly nodes: number
  readonly commit: string
  readonly firstSeed: number
}

/** Adds up the rounds of one run. */
export class CampaignBook {
  readonly #place: CampaignPlace
  readonly #beganAt = performance.now()
  readonly #tally = new Tally()
  readonly #judged: SeedJudgement[] = []
  #rounds = 0

  constructor(place: CampaignPlace) {
    this.#place = place
  }

  add(judgements: readonly SeedJudgement[], tally: Tally): void {
    this.#rounds += 1
    this.#judged.push(...judgements)
    this.#tally.add(tally)
  }

  result(): Campaign {
    const { firstSeed, ...place } = this.#place
    const all = this.#judged
    const sum = (read: (judgement: SeedJudgement) => number): number =>
      all.reduce((total, each) => total + read(each), 0)
    return {
      participant: 'warren',
      ...place,
      seeds: [firstSeed, Math.max(firstSeed, ...all.map(({ seed }) => seed))],
      rounds: this.#rounds,
      seconds: Math.round((performance.now() - this.#beganAt) / 1000),
      faults: this.#tally.faults,
      cutsAndPauses: this.#tally.cutsAndPauses,
      nodeKills: this.#tally.nodeKills,
      published: sum(({ messages }) => messages.sent),
      confirmed: sum(({ messages }) => messages.confirmed),
      handled: sum(({ messages }) => messages.handled),
      queued: sum(({ messages }) => messages.queued),
      sealed: sum(({ messages }) => messages.sealed),
      lost: sum(({ counts }) => counts.lost),
      recovered: sum(({ counts }) => counts.recovered),
      unexpected: sum(({ counts }) => counts.unexpected),
      duplicated: sum(({ counts }) => counts.duplicated),
      duplicatesAllowed: sum(({ duplicatesAllowed }) => duplicatesAllowed),
      receipts: sum(({ receipts }) => receipts.checked),
      exactReceipts: sum(({ receipts }) => receipts.exact),
      restores: sum(({ receipts }) => receipts.restores),
      falseReceipts: sum(({ receipts }) => receipts.false),
      violations: all.flatMap(({ seed, violations }) =>
        violations.map(({ rule, detail }) => ({ seed, rule, detail: detail.slice(0, 2000) })),
      ),
    }
  }
}
