import type { FailedPublish, FailureKind } from './failed-publish.ts'
import type { KeepReason } from './plan-redrive.ts'

/** Each may name its message, and nobody reads a thousand. */
const mostProblems = 5
/** Each message may have a key of its own. */
const mostFailedTargets = 5

/** Running counts. What was moved stays moved; what was kept or failed is counted again in each pass. */
export class RedriveTally {
  /** Messages of this very re-drive that are dead again. */
  cameBackCount = 0
  readonly causes: Map<string, { readonly label: string; count: number }> = new Map()
  kept: Map<KeepReason, number> = new Map()
  failed: Map<FailureKind, number> = new Map()
  /** Where messages failed, by kind; the first few. */
  failedAt: Map<FailureKind, Set<string>> = new Map()
  /** What the broker said when it closed the channel over messages that failed. */
  problems: Set<string> = new Set()
  readonly #targets: TargetCount[] = []
  #lastTarget: TargetCount | undefined

  startPass(): void {
    this.kept = new Map()
    this.failed = new Map()
    this.failedAt = new Map()
    this.problems = new Set()
    this.cameBackCount = 0
  }

  countMove({ exchange, key }: Address, cause: NamedCause): void {
    this.#countTarget(exchange, key)
    const known = this.causes.get(cause.id)
    if (known) known.count += 1
    else this.causes.set(cause.id, { label: cause.label, count: 1 })
  }

  countKeep(reason: KeepReason): void {
    add(this.kept, reason)
  }

  countFailure(failure: Pick<FailedPublish, 'kind' | 'problem' | 'exchange' | 'key'>): void {
    const { kind, problem } = failure
    add(this.failed, kind)
    this.#noteTarget(kind, failure)
    if (problem !== undefined && this.problems.size < mostProblems) this.problems.add(problem)
  }

  #noteTarget(kind: FailureKind, address: Address): void {
    const noted = this.failedAt.get(kind) ?? new Set()
    if (noted.size >= mostFailedTargets) return
    this.failedAt.set(kind, noted.add(nameAddress(address)))
  }

  /** Where messages were moved to. */
  get addresses(): readonly Address[] {
    return this.#targets
  }

  get targets(): readonly { readonly target: string; readonly moved: number }[] {
    return this.#targets.map(({ exchange, key, moved }) => ({
      target: nameAddress({ exchange, key }),
      moved,
    }))
  }

  /** The next message usually goes where the last one went. */
  #countTarget(exchange: string, key: string): void {
    let target = this.#lastTarget
    if (target?.key !== key || target.exchange !== exchange) {
      target = this.#targets.find((each) => each.key === key && each.exchange === exchange)
      if (!target) {
        target = { exchange, key, moved: 0 }
        this.#targets.push(target)
      }
      this.#lastTarget = target
    }
    target.moved += 1
  }
}

/** An address for people: a queue by its name, an exchange with the key. */
export function nameAddress({ exchange, key }: Address): string {
  return exchange === '' ? key : `${exchange} ${key}`
}

interface Address {
  readonly exchange: string
  readonly key: string
}

interface TargetCount extends Address {
  moved: number
}

export interface NamedCause {
  readonly id: string
  readonly label: string
}

function add<Name>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
