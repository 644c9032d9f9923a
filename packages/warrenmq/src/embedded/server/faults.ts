import type { Clock } from '../../clock.ts'
import { refuseChoice } from '../../message/refuse-choice.ts'
import { refuseUnknown } from '../../message/refuse-unknown.ts'

const cutPoints = [
  'before-publish',
  'after-publish-routed',
  'after-publish-confirmed',
  'before-ack',
  'after-ack',
] as const

/** The instants at which a connection can be cut. `routed` lies between taking a publish in and confirming it. */
export type CutPoint = (typeof cutPoints)[number]

/** What becomes of a confirm. A delay is in milliseconds of the broker's clock. */
export type ConfirmFate =
  | { readonly kind: 'send' }
  | {
      readonly kind: 'delay'
      /** How long it is kept back, in milliseconds. */
      readonly delayMs: number
    }
  | { readonly kind: 'drop' }
  | { readonly kind: 'nack' }

/** The faults that stand ready, as the connections ask for them. */
export interface FaultPlan {
  /** True when the connection is to be cut now. */
  isCutAt(point: CutPoint): boolean
  /** The fate of the next publish that is to be confirmed; to be asked for each, also where one word confirms several. */
  nextConfirm(): ConfirmFate
  /** True when a routed message is to be returned as if nothing took it. */
  isReturned(): boolean
  readonly isRefusing: boolean
  readonly blockedReason: string | undefined
  readonly clock: Clock
}

/** The side of the faults that a test holds. */
export interface FaultSwitches {
  /**
   * Cuts the connection that is the n-th to come to `point`, counted from now. Settles when it has happened.
   * @example
   * ```ts
   * await broker.faults.cutConnection('before-ack', { nth: 3 })
   * ```
   */
  cutConnection(point: CutPoint, options?: { readonly nth?: number }): Promise<void>
  /**
   * Changes the fate of the next confirms. @default one confirm
   * @example
   * ```ts
   * broker.faults.changeConfirms({ kind: 'delay', delayMs: 500 }, { count: 2 })
   * ```
   */
  changeConfirms(fate: Exclude<ConfirmFate, { kind: 'send' }>, options?: { readonly count?: number }): void
  /**
   * Returns the next messages as unroutable, whatever they are bound to. @default one message
   * @example
   * ```ts
   * broker.faults.returnPublishes({ count: 2 })
   * ```
   */
  returnPublishes(options?: { readonly count?: number }): void
  /**
   * Refuses new connections until `acceptConnections`.
   * @example
   * ```ts
   * broker.faults.refuseConnections()
   * ```
   */
  refuseConnections(): void
  /**
   * Accepts connections again.
   * @example
   * ```ts
   * broker.faults.acceptConnections()
   * ```
   */
  acceptConnections(): void
  /**
   * Behaves as during a memory or disk alarm: tells each connection that publishes from now on, and stops reading from
   * it.
   * @example
   * ```ts
   * broker.faults.block('low on memory')
   * ```
   */
  block(reason?: string): void
  /**
   * Ends `block`.
   * @example
   * ```ts
   * broker.faults.unblock()
   * ```
   */
  unblock(): void
}

interface PlannedCut {
  readonly point: CutPoint
  remaining: number
  readonly onCut: () => void
}

export function createFaults(clock: Clock, onBlockChange: () => void): FaultPlan & FaultSwitches {
  let cuts: PlannedCut[] = []
  const fates: ConfirmFate[] = []
  let returnsLeft = 0
  let isRefusing = false
  let blockedReason: string | undefined

  return {
    clock,
    isCutAt: (point) => {
      if (cuts.length === 0) return false
      let isCut = false
      for (const cut of cuts.filter((planned) => planned.point === point)) {
        cut.remaining -= 1
        if (cut.remaining > 0) continue
        isCut = true
        cuts = cuts.filter((planned) => planned !== cut)
        cut.onCut()
      }
      return isCut
    },
    nextConfirm: () => fates.shift() ?? sendIt,
    isReturned: () => {
      if (returnsLeft === 0) return false
      returnsLeft -= 1
      return true
    },
    get isRefusing() {
      return isRefusing
    },
    get blockedReason() {
      return blockedReason
    },
    cutConnection: (point, options = {}) => {
      refuseChoice('The point of cutConnection()', point ?? null, cutPoints)
      refuseUnknown('cutConnection()', options, { nth: true })
      return new Promise((resolve) => {
        cuts.push({ point, remaining: options.nth ?? 1, onCut: resolve })
      })
    },
    changeConfirms: (fate, options = {}) => {
      refuseUnknown('The fate of changeConfirms()', fate, { kind: true, delayMs: true })
      refuseChoice('kind of changeConfirms()', fate.kind ?? null, ['delay', 'drop', 'nack'])
      refuseUnknown('changeConfirms()', options, { count: true })
      for (let left = options.count ?? 1; left > 0; left -= 1) fates.push(fate)
    },
    returnPublishes: (options = {}) => {
      refuseUnknown('returnPublishes()', options, { count: true })
      returnsLeft += options.count ?? 1
    },
    refuseConnections: () => {
      isRefusing = true
    },
    acceptConnections: () => {
      isRefusing = false
    },
    block: (reason = 'low on memory') => {
      blockedReason = reason
      onBlockChange()
    },
    unblock: () => {
      blockedReason = undefined
      onBlockChange()
    },
  }
}

const sendIt: ConfirmFate = { kind: 'send' }
