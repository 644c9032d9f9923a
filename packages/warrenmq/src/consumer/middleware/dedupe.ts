import { InvalidArgumentError } from '../../errors.ts'
import { type Duration, parseDuration } from '../../message/duration.ts'
import { escapeLine } from '../../message/escape-text.ts'
import { type OptionNames, refuseUnknown } from '../../message/refuse-unknown.ts'
import { isAcknowledged } from '../decide/decide-outcome.ts'
import type { Middleware } from '../handler.ts'
import { defer, readAnswer } from '../handler-answer.ts'
import { statusTables } from '../http/status-tables.ts'
import type { ConsumedMessage } from '../run/consumed-message.ts'
import { describeValue } from '../run/describe-value.ts'

/** Where finished messages are recorded. */
export interface DedupeStore {
  /**
   * Claims a key. Atomic: of many that ask for one key at a time, one gets a claim. One that is neither finished nor
   * released ends by itself after `leaseMs`, and the next who asks gets another.
   * @example
   * ```ts
   * const claim = await store.begin('order-42', 30 * 60_000)
   * if (claim === 'done') console.log('handled before')
   * ```
   */
  begin(key: string, leaseMs: number): Promise<DedupeClaim | 'busy' | 'done'>
  /**
   * Records that the message is done. Returns false, and changes nothing, if the claim has passed to another process.
   * @example
   * ```ts
   * if (!(await store.finish(claim, 86_400_000))) console.log('another process took it over')
   * ```
   */
  finish(claim: DedupeClaim, keepMs: number): Promise<boolean>
  /**
   * Releases the claim, unless it has passed to another process.
   * @example
   * ```ts
   * await store.release(claim)
   * ```
   */
  release(claim: DedupeClaim): Promise<void>
}

/** The right to handle a message. The token distinguishes it from other claims to the same key. */
export interface DedupeClaim {
  /** The key that is claimed. */
  readonly key: string
  /** New for each claim. */
  readonly token: string
}

/** How duplicates are recognised, and for how long. */
export interface DedupeOptions {
  /**
   * How long a done message is remembered. @default '1d'
   * @example { keep: '7d' }
   */
  readonly keep?: Duration
  /**
   * How long a process may work on a message before another may take it over; longer than any handler. @default '30m'
   * @example { lease: '5m' }
   */
  readonly lease?: Duration
  /**
   * Which messages are the same; undefined lets one through unseen. @default its message id
   * @example { key: (message) => `${message.type}/${message.id}` }
   */
  readonly key?: (message: ConsumedMessage) => string | undefined
}

const dedupeOptions: OptionNames<DedupeOptions> = { keep: true, lease: true, key: true }

/** Another process is at the message; asked again after this long, which costs no attempt. */
const busyPauseMs = 5_000

/**
 * Runs the handler once per message id, over all processes that share the store. Duplicates are acknowledged.
 * @example
 * ```ts
 * await warren.consume('orders', save, { middleware: [dedupe(memoryDedupeStore(), { keep: '7d' })] })
 * ```
 */
export function dedupe(store: DedupeStore, options: DedupeOptions = {}): Middleware {
  refuseUnknown('dedupe()', options, dedupeOptions)
  if (!isStore(store))
    throw new InvalidArgumentError(
      'dedupe() needs a store with the functions begin, finish and release, such as memoryDedupeStore().',
    )
  const keepMs = parseDuration(options.keep ?? '1d')
  const leaseMs = parseDuration(options.lease ?? '30m')
  const keyOf = options.key ?? (({ id }: ConsumedMessage) => id)
  return (next) => async (message, context) => {
    const id = keyOf(message)
    if (id === undefined) return next(message, context)
    const claim = await store.begin(`${context.queue}:${id}`, leaseMs)
    if (claim === 'done') return undefined
    if (claim === 'busy') return defer(busyPauseMs)
    let isDone = false
    try {
      const answer = await next(message, context)
      // Only an answer that acknowledges is the end of a message; a retry must find it undone.
      isDone = isAcknowledged(readAnswer(answer), context.statusTable ?? statusTables.warren)
      return answer
    } finally {
      await endClaim({ store, claim, keepMs: isDone ? keepMs : undefined })
    }
  }
}

/**
 * The handler's result counts, whatever the store says now. Running the work again because it could not be recorded
 * would be the very duplicate we prevent, and an error of the store must not hide the handler's own.
 */
async function endClaim(fields: {
  readonly store: DedupeStore
  readonly claim: DedupeClaim
  /** Undefined when the message is not done. */
  readonly keepMs: number | undefined
}): Promise<void> {
  const { store, claim, keepMs } = fields
  try {
    if (keepMs === undefined) await store.release(claim)
    else if (!(await store.finish(claim, keepMs))) warnOfLease(claim)
  } catch (error) {
    if (keepMs === undefined) warnOfRelease(claim, error)
    else warnOfFinish(claim, error)
  }
}

function warnOfLease({ key }: DedupeClaim): void {
  warn(
    'WARREN_DEDUPE_LEASE_ENDED',
    `The handler of ${key} took longer than its lease, so another process is handling the message, too. Make the lease longer.`,
  )
}

function warnOfFinish({ key }: DedupeClaim, error: unknown): void {
  warn(
    'WARREN_DEDUPE_NOT_KEPT',
    `The dedupe store could not record that ${key} is done (${describeValue(error)}). A copy that comes after the lease runs again.`,
  )
}

function warnOfRelease({ key }: DedupeClaim, error: unknown): void {
  warn(
    'WARREN_DEDUPE_NOT_RELEASED',
    `The dedupe store could not release ${key} (${describeValue(error)}). Its next attempt waits until the lease ends.`,
  )
}

/** Node writes it to the terminal as it is, and the id of a message may hold anything. */
function warn(code: string, message: string): void {
  process.emitWarning(escapeLine(message), { code })
}

function isStore(store: unknown): boolean {
  const { begin, finish, release } = (store ?? {}) as Partial<Record<keyof DedupeStore, unknown>>
  return [begin, finish, release].every((part) => typeof part === 'function')
}
