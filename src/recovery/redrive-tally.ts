import type { PublishResult } from '../publisher/publish-result.ts'
import type { KeepReason } from './plan-redrive.ts'

export type FailureKind = 'unroutable' | 'refused' | 'unanswered'

/** Running counts. What was moved stays so; what was kept or failed is counted anew in each pass. */
export class RedriveTally {
  moved = 0
  duplicatesPossible = 0
  refreshed = 0
  readonly targets: Map<string, number> = new Map()
  readonly causes: Map<string, { readonly label: string; count: number }> = new Map()
  kept: Map<KeepReason, number> = new Map()
  failed: Map<FailureKind, number> = new Map()

  startPass(): void {
    this.kept = new Map()
    this.failed = new Map()
  }

  countMove({ exchange, key, cause }: Moved): void {
    this.moved += 1
    add(this.targets, exchange === '' ? key : `${exchange} ${key}`)
    const known = this.causes.get(cause.id)
    if (known) known.count += 1
    else this.causes.set(cause.id, { label: cause.label, count: 1 })
  }

  countKeep(reason: KeepReason): void {
    add(this.kept, reason)
  }

  countFailure(kind: FailureKind): void {
    add(this.failed, kind)
  }

  get keptCount(): number {
    return sum(this.kept)
  }

  get failedCount(): number {
    return sum(this.failed)
  }
}

interface Moved {
  readonly exchange: string
  readonly key: string
  readonly cause: { readonly id: string; readonly label: string }
}

/** What a result that is not a confirm means. */
export function failureOf(result: Exclude<PublishResult, { kind: 'confirmed' }>): FailureKind {
  if (result.kind === 'returned') return 'unroutable'
  return result.kind === 'nacked' ? 'refused' : 'unanswered'
}

function add<Name>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

function sum(counts: ReadonlyMap<unknown, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0)
}
