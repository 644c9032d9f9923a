import { createFailureMemory } from './failure-memory.ts'
import type { EncodedHeaders } from './header-values.ts'
import { murmurHash } from './murmur-hash.ts'
import { normaliseMessage } from './normalise-message.ts'
import { readLastDeath } from './read-deaths.ts'
import { type Failure, findFailure, readFailure } from './read-failure.ts'
import { doDigitsMatter, shapeOfMessage } from './shape-of-message.ts'

/** Why messages are dead, as one value per cause: messages of one cause have the same `id`. */
export interface Cause {
  /** Twelve hexadecimal digits, or `unknown`. The same on every machine and in every run. */
  readonly id: string
  /** For people: `TimeoutError: no answer from <host> (billing.orders)`. */
  readonly label: string
  /** `error`: someone wrote down an error. `death`: only the broker's reason is known. */
  readonly kind: 'error' | 'death' | 'unknown'
}

export const unknownCause: Cause = { id: 'unknown', label: 'unknown', kind: 'unknown' }

/**
 * The cause of a dead letter from its headers: what was written when it was parked, else `x-death`.
 * @example
 * ```ts
 * const { id, label } = causeOf(headers)
 * ```
 */
export function causeOf(headers: EncodedHeaders): Cause {
  if (headers === undefined) return unknownCause
  const places = findFailure(headers)
  const known = failures.recall(headers, places)
  if (known) return known
  const failure = readFailure(headers, places)
  if (hasError(failure)) return rememberCause(failure)
  const last = readLastDeath(headers)
  return fingerprintCause({
    ...failure,
    reason: failure.reason ?? last?.reason,
    queue: failure.queue ?? last?.queue,
  })
}

const failures = createFailureMemory<Cause>()

/** From now on its bytes are enough. */
function rememberCause(failure: Failure): Cause {
  const cause = fingerprintCause(failure)
  if (!doDigitsMatter(failure.errorMessage ?? '')) failures.remember(cause)
  return cause
}

const mostKnown = 512
const known = new Map<string, Cause>()

/**
 * The cause of a failure. Without an error and without a reason it stays unknown, wherever it happened. A
 * queue of dead letters has few failures and many messages, so what was worked out is kept.
 */
export function fingerprintCause(failure: Partial<Failure>): Cause {
  const { errorType = '', errorMessage = '', statusCode = '', reason = '', queue = '' } = failure
  // The lengths keep apart texts that are equal only when joined.
  const lengths = `${errorType.length},${errorMessage.length},${reason.length},${statusCode}`
  const name = `${lengths}:${errorType}${shapeOfMessage(errorMessage)}${reason}${queue}`
  let cause = known.get(name)
  if (cause) return cause
  if (known.size >= mostKnown) known.clear()
  cause = nameCause(failure)
  known.set(name, cause)
  return cause
}

function nameCause(failure: Partial<Failure>): Cause {
  const message = normaliseMessage(failure.errorMessage ?? '')
  const parts = [
    failure.errorType?.trim() ?? '',
    message,
    failure.statusCode?.toString() ?? '',
    failure.reason ?? '',
    failure.queue ?? '',
  ]
  if (hasError(failure)) return { id: hashOf(parts), label: errorLabel(failure, message), kind: 'error' }
  if (!failure.reason) return unknownCause
  return { id: hashOf(parts), label: withQueue(failure.reason, failure.queue), kind: 'death' }
}

function hasError({ errorType, errorMessage, statusCode }: Partial<Failure>): boolean {
  return Boolean(errorType?.trim()) || Boolean(errorMessage?.trim()) || statusCode !== undefined
}

function errorLabel({ errorType, statusCode, queue }: Partial<Failure>, message: string): string {
  const status = statusCode === undefined ? '' : `status ${statusCode}`
  const what = [errorType?.trim() ?? '', message || status].filter((part) => part !== '')
  return withQueue(what.join(': '), queue)
}

function withQueue(text: string, queue: string | undefined): string {
  return queue ? `${text} (${queue})` : text
}

// Two hashes of 32 bits make 64, of which 48 are shown: with a thousand causes a collision is one in 10^8.
function hashOf(parts: readonly string[]): string {
  // As JSON, because no separator is safe in text that anyone may write.
  const bytes = Buffer.from(JSON.stringify(parts))
  return (hex(murmurHash(bytes, 0)) + hex(murmurHash(bytes, 0x9747b28c))).slice(0, 12)
}

function hex(value: number): string {
  return value.toString(16).padStart(8, '0')
}
