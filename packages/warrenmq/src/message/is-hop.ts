import { type EncodedHeaders, headerInteger } from './header-values.ts'
import { warrenHeaders } from './warren-headers.ts'

/** A death, and where the message had been published before it. */
export interface DeathAddress {
  readonly queue: string
  readonly reason: string
  readonly exchange: string
  readonly key: string
}

/**
 * Whether a message died first on a way that it was sent on, so that its deaths do not tell where it was first
 * published: it was put into the queue by its name, as a re-drive, a deferral and a retry do it, or its time ran out
 * while it waited for another attempt. Only then a header is believed: anybody can write one.
 */
export function isHop({ queue, reason, exchange, key }: DeathAddress, headers: EncodedHeaders): boolean {
  if (exchange === '' && key === queue) return true
  return reason === 'expired' && isCounted(headers)
}

function isCounted(headers: EncodedHeaders): boolean {
  // Whoever sends a message to a wait queue writes down how often it failed, be it never.
  const names = [warrenHeaders.attempts, warrenHeaders.retryCount]
  return names.some((name) => headerInteger(headers, name) !== undefined)
}
