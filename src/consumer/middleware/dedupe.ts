import { type Duration, parseDuration } from '../../message/duration.ts'
import type { ConsumedMessage } from '../consumed-message.ts'
import type { Middleware } from '../handler.ts'
import { defer, readAnswer } from '../handler-answer.ts'

/**
 * Where it is written down which messages are done. `begin` must be atomic: of many that ask for one key at a
 * time, one is told `new`. A claim that is neither finished nor released ends by itself after `leaseMs`.
 */
export interface DedupeStore {
  begin(key: string, leaseMs: number): Promise<'new' | 'busy' | 'done'>
  finish(key: string, keepMs: number): Promise<void>
  release(key: string): Promise<void>
}

export interface DedupeOptions {
  /** How long a done message is remembered. @default '1d' */
  readonly keep?: Duration
  /** How long a process may be at a message before another one takes it over; longer than any handler. @default '30m' */
  readonly lease?: Duration
  /** Which messages are the same; undefined lets one through unseen. @default its message id */
  readonly key?: (message: ConsumedMessage) => string | undefined
}

/** Another process is at the message; asked again after this long, which costs no attempt. */
const busyPauseMs = 5_000

/** Runs the handler once per message id, over all processes that share the store. Duplicates are acknowledged. */
export function dedupe(store: DedupeStore, options: DedupeOptions = {}): Middleware {
  const keepMs = parseDuration(options.keep ?? '1d')
  const leaseMs = parseDuration(options.lease ?? '30m')
  const keyOf = options.key ?? (({ id }: ConsumedMessage) => id)
  return (next) => async (message, context) => {
    const id = keyOf(message)
    if (id === undefined) return next(message, context)
    const key = `${context.queue}:${id}`
    const claim = await store.begin(key, leaseMs)
    if (claim === 'done') return undefined
    if (claim === 'busy') return defer(busyPauseMs)
    const answer = await Promise.resolve(next(message, context)).catch(async (error: unknown) => {
      await store.release(key)
      throw error
    })
    // Only an answer that acknowledges is the end of a message; a retry must find it undone.
    if (isDone(answer)) await store.finish(key, keepMs).catch((error: unknown) => warn(key, error))
    else await store.release(key)
    return answer
  }
}

/** The work is done: to run it again because it could not be written down would be the duplicate we are here to prevent. */
function warn(key: string, error: unknown): void {
  process.emitWarning(
    `The dedupe store could not keep that ${key} is done (${String(error)}). A copy that comes after the lease runs again.`,
    { code: 'WARREN_DEDUPE_NOT_KEPT' },
  )
}

function isDone(answer: unknown): boolean {
  return readAnswer(answer).kind === 'handled'
}
