import type { FaultKind } from '../nemesis/faults.ts'

/** What the nemesis has really done: a fault that found nothing to hit is not counted. */
export class Tally {
  readonly faults: Partial<Record<FaultKind | 'partition', number>> = {}

  count(kind: FaultKind | 'partition'): void {
    this.faults[kind] = (this.faults[kind] ?? 0) + 1
  }

  add(other: Tally): void {
    for (const [kind, count] of Object.entries(other.faults) as [FaultKind, number][])
      this.faults[kind] = (this.faults[kind] ?? 0) + count
  }

  /** As the figures of the proof count them. */
  get cutsAndPauses(): number {
    const kinds = ['cut', 'black-hole', 'stall', 'slow', 'pause', 'broker-pause', 'partition'] as const
    return kinds.reduce((sum, kind) => sum + (this.faults[kind] ?? 0), 0)
  }

  get nodeKills(): number {
    return this.faults['broker-crash'] ?? 0
  }
}
