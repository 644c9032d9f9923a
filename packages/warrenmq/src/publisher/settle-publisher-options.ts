import { InvalidArgumentError } from '../errors.ts'
import type { Duration } from '../message/duration.ts'
import { readTimes } from '../message/read-times.ts'
import { type OptionNames, refuseUnknown } from '../message/refuse-unknown.ts'

/** How a publisher works. */
export interface PublisherOptions {
  /**
   * The most publishes without an answer at a time. @default 1024 messages, 16 MiB
   * @example { window: { messages: 256, bytes: 4_194_304 } }
   */
  readonly window?: { readonly messages?: number; readonly bytes?: number }
  /**
   * The most publishes that wait for the window or the connection; any more settle as not sent. @default 100000 messages, 256 MiB
   * @example { waiting: { messages: 10_000 } }
   */
  readonly waiting?: { readonly messages?: number; readonly bytes?: number }
  /**
   * After this long without an answer a publish is `unknown`. @default '1m'
   * @example { deadline: '10s' }
   */
  readonly deadline?: Duration
  /**
   * The same as `deadline`, in milliseconds.
   * @example { deadlineMs: 10_000 }
   */
  readonly deadlineMs?: number
  /**
   * Sends publishes again, with the same message id, if they had no answer when the connection was lost, or when another
   * publish closed their channel. Only once: after two lost connections a publish is `unknown`. @default false
   * @example { resend: true }
   */
  readonly resend?: boolean
}

export interface SettledPublisherOptions {
  readonly window: { readonly messages: number; readonly bytes: number }
  readonly waiting: { readonly messages: number; readonly bytes: number }
  readonly deadlineMs: number
  readonly resend: boolean
}

const publisherOptions: OptionNames<PublisherOptions> = {
  window: true,
  waiting: true,
  deadline: true,
  deadlineMs: true,
  resend: true,
}
const bounds: OptionNames<Required<PublisherOptions>['window']> = { messages: true, bytes: true }

const mebibyte = 1024 * 1024

/** Options with their defaults. A window that lets nothing through, or no deadline, would make a publish hang. */
export function settlePublisherOptions(options: PublisherOptions): SettledPublisherOptions {
  refuseUnknown('publisher()', options, publisherOptions)
  const {
    window,
    waiting,
    deadlineMs = 60_000,
    resend = false,
  } = readTimes('publisher()', options, ['deadline'])
  if (window !== undefined) refuseUnknown('window of a publisher', window, bounds)
  if (waiting !== undefined) refuseUnknown('waiting of a publisher', waiting, bounds)
  const settled = {
    window: { messages: window?.messages ?? 1024, bytes: window?.bytes ?? 16 * mebibyte },
    waiting: { messages: waiting?.messages ?? 100_000, bytes: waiting?.bytes ?? 256 * mebibyte },
    deadlineMs,
    resend,
  }
  const isCount = Number.isSafeInteger(settled.window.messages) && settled.window.messages >= 1
  check(isCount, 'window.messages', settled.window.messages, 'a whole number from 1')
  check(settled.window.bytes >= 1, 'window.bytes', settled.window.bytes, 'a number from 1')
  check(settled.waiting.messages >= 0, 'waiting.messages', settled.waiting.messages, 'a number from 0')
  check(settled.waiting.bytes >= 0, 'waiting.bytes', settled.waiting.bytes, 'a number from 0')
  const isTime = Number.isFinite(deadlineMs) && deadlineMs > 0
  check(isTime, 'deadlineMs', deadlineMs, 'a number of milliseconds above 0')
  return settled
}

function check(isAllowed: boolean, name: string, value: unknown, rule: string): void {
  if (isAllowed) return
  throw new InvalidArgumentError(`${name} of a publisher is ${String(value)}; it must be ${rule}.`)
}
