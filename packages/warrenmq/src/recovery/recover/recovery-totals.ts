import type { Receipt } from '../receipt/receipt.ts'
import type { QueueRecovery } from './render-recovery.ts'

/** One pass of re-drive over the queue. */
export interface RecoveryRun {
  /** Undefined: it was not ended when the time was over. */
  readonly receipt: Receipt | undefined
  readonly failedByQueue: ReadonlyMap<string, number>
}

/** The result of all runs over one queue, also if the last one failed. */
export class RecoveryTotals {
  /** As far as it is known. */
  left = 0
  readonly #queue: string
  readonly #byQueue = new Map<string, number>()
  #recovered = 0
  #movedAside = 0
  #duplicatesPossible = 0
  #deleted = 0
  #isBalanced = true
  #isCounted = true
  #last: RecoveryRun | undefined

  readonly #nameOf: (target: string) => string

  constructor(queue: string, nameOf: (target: string) => string = (target) => target) {
    this.#queue = queue
    this.#nameOf = nameOf
  }

  get recovered(): number {
    return this.#recovered
  }

  /** The last run was counted at its end. */
  get isCounted(): boolean {
    return this.#isCounted
  }

  add(result: RecoveryRun & { readonly receipt: Receipt }): void {
    const { moved, movedAside = 0, targets, isBalanced, isCounted = true, present } = result.receipt
    this.#last = result
    this.#duplicatesPossible += result.receipt.duplicatesPossible
    this.#recovered += moved
    this.#movedAside += movedAside
    this.left = present - moved - movedAside
    this.#isCounted = isCounted
    if (isCounted && !isBalanced) this.#isBalanced = false
    for (const target of targets) {
      const name = this.#nameOf(target.target)
      this.#byQueue.set(name, (this.#byQueue.get(name) ?? 0) + target.moved)
    }
  }

  /** A run that was not ended in time: it had moved this many, and what was in flight may be there twice. */
  addUnended({ present, moved, underWay }: { present: number; moved: number; underWay: number }): void {
    this.#last = undefined
    this.#recovered += moved
    this.left = Math.max(0, present - moved)
    this.#duplicatesPossible += Math.min(this.left, underWay)
    this.#isCounted = false
  }

  /** How many are in the queue at the end; undefined if they could not be counted. */
  count(left: number | undefined): void {
    this.#isCounted = left !== undefined
    if (left !== undefined) this.left = left
  }

  /** The queue is gone, and what was left in it. */
  countDeleted(): void {
    this.#deleted = this.left
    this.left = 0
  }

  /** Only the last run says what was kept: each begins with everything that the one before left. */
  recovery(problem?: string): QueueRecovery {
    const { receipt, failedByQueue = new Map() } = this.#last ?? {}
    const reasons = receipt?.keptBecause ?? []
    return {
      queue: this.#queue,
      recovered: this.#recovered,
      failed: receipt?.failed ?? 0,
      skipped: reasons.find(({ reason }) => reason === 'type-unknown')?.count ?? 0,
      keptBecause: reasons.filter(({ reason }) => reason !== 'type-unknown'),
      recoveredByQueue: this.#byQueue,
      failedByQueue,
      left: this.left,
      receipt,
      movedAside: this.#movedAside,
      deleted: this.#deleted,
      duplicatesPossible: this.#duplicatesPossible,
      isBalanced: this.#isBalanced,
      isCounted: this.#isCounted,
      problem,
    }
  }
}
