import { ChannelError } from '../errors.ts'
import type { PublishResult } from '../publisher/publish-result.ts'
import type { KeepReason } from './plan-redrive.ts'

export type FailureKind = 'unroutable' | 'refused' | 'unanswered'

/** Running counts. What was moved stays so; what was kept or failed is counted anew in each pass. */
export class RedriveTally {
  moved = 0
  duplicatesPossible = 0
  refreshed = 0
  /** Messages without an id were moved: should one come again, it looks like any other that is alike. */
  hasUnnamed = false
  keptCount = 0
  failedCount = 0
  /** Messages of this very re-drive that are dead again. */
  cameBackCount = 0
  readonly causes: Map<string, { readonly label: string; count: number }> = new Map()
  kept: Map<KeepReason, number> = new Map()
  failed: Map<FailureKind, number> = new Map()
  readonly #targets: TargetCount[] = []
  #lastTarget: TargetCount | undefined

  startPass(): void {
    this.kept = new Map()
    this.failed = new Map()
    this.keptCount = 0
    this.failedCount = 0
    this.cameBackCount = 0
  }

  countMove({ exchange, key }: Address, cause: NamedCause): void {
    this.moved += 1
    this.#countTarget(exchange, key)
    const known = this.causes.get(cause.id)
    if (known) known.count += 1
    else this.causes.set(cause.id, { label: cause.label, count: 1 })
  }

  countKeep(reason: KeepReason): void {
    this.keptCount += 1
    add(this.kept, reason)
  }

  countFailure(kind: FailureKind): void {
    this.failedCount += 1
    add(this.failed, kind)
  }

  get targets(): readonly { readonly target: string; readonly moved: number }[] {
    return this.#targets.map(({ exchange, key, moved }) => ({
      target: nameAddress({ exchange, key }),
      moved,
    }))
  }

  /** The next message mostly goes where the last one went. */
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

interface NamedCause {
  readonly id: string
  readonly label: string
}

/** What a result that is not a confirm means. */
export function failureOf(result: Exclude<PublishResult, { kind: 'confirmed' }>): FailureKind {
  if (result.kind === 'returned') return 'unroutable'
  return result.kind === 'nacked' ? 'refused' : 'unanswered'
}

const preconditionFailed = 406

/** Whether a message itself was too much for the broker, e.g. by its size; it closes the channel then. */
export function closesChannel(result: PublishResult): boolean {
  const { cause } = result.kind === 'unknown' ? result : {}
  return cause instanceof ChannelError && cause.replyCode === preconditionFailed
}

/** The largest body that the broker takes, where it closed the channel because one was larger. */
export function largestTaken(result: PublishResult): number | undefined {
  if (result.kind !== 'unknown' || !(result.cause instanceof ChannelError)) return undefined
  const [, bytes] =
    /message size \d+ is larger than .*max size (\d+)/.exec(result.cause.replyText ?? '') ?? []
  return bytes === undefined ? undefined : Number(bytes)
}

function add<Name>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
