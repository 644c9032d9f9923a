import { randomUUID } from '../../world.ts'
import type { Receipt } from '../receipt/receipt.ts'
import type { RedriveOptions, RedriveProgress } from './redrive-options.ts'
import { RedriveRun } from './redrive-run.ts'

/** A re-drive that is running. */
export interface Redrive {
  /** Its id, which each message gets in a header. */
  readonly id: string
  /** Settles when the queue has been counted. Rejects only if nothing was begun or the broker is gone for good. */
  readonly receipt: Promise<Receipt>
  /**
   * Starts no more messages; what is in flight is finished.
   * @example
   * ```ts
   * const redrive = warren.deadLetters('orders').startRedrive()
   * redrive.pause()
   * ```
   */
  pause(): void
  /**
   * Continues after `pause`.
   * @example
   * ```ts
   * const redrive = warren.deadLetters('orders').startRedrive()
   * redrive.pause()
   * redrive.resume()
   * ```
   */
  resume(): void
  /** How far it is. */
  readonly progress: RedriveProgress
  /**
   * Finishes what is in flight and leaves the rest where it is.
   * @example
   * ```ts
   * const redrive = warren.deadLetters('orders').startRedrive()
   * redrive.cancel()
   * const { moved } = await redrive.receipt
   * ```
   */
  cancel(): void
}

/**
 * Puts dead letters back: publish, confirm and no return, acknowledge. Never in another order.
 * @example
 * ```ts
 * const { receipt } = startRedrive(compileRedrive({ queue: 'orders.dlq' }, { ...broker, by: 'ann' }))
 * const { moved, isBalanced } = await receipt
 * ```
 */
export function startRedrive(options: RedriveOptions): Redrive {
  const id = options.id ?? randomUUID()
  const run = new RedriveRun(options, id)
  const cancel = (): void => run.cancel()
  options.signal?.addEventListener('abort', cancel, { once: true })
  const receipt = run.run().finally(() => options.signal?.removeEventListener('abort', cancel))
  if (options.signal?.aborted) cancel()
  return {
    id,
    receipt,
    cancel,
    pause: () => run.pause(),
    resume: () => run.resume(),
    get progress() {
      return run.progress
    },
  }
}
