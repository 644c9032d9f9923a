/** The addresses at which a publisher is refused, and when it is time to try another channel for them. */
export interface Refusals {
  isEmpty(): boolean
  /** Undefined while every address is taken, or was not tried since the last channel was opened. */
  renewAtMs(): number | undefined
  refused(address: string, nowMs: number): void
  accepted(address: string): void
  /** A new channel is there, or could not be had: the next try comes after twice the time. */
  renewed(nowMs: number): void
}

interface Refusal {
  renewAtMs: number | undefined
  pauseMs: number
}

const firstPauseMs = 1_000
const longestPauseMs = 60_000
const mostAddresses = 64

/**
 * A queue that is full refuses for as long as it is; a channel of RabbitMQ 3.10 that met a quorum queue without a
 * leader refuses for ever. From here they look alike, so another channel is tried, ever more seldom, until one is taken.
 */
export function createRefusals(): Refusals {
  const refusals = new Map<string, Refusal>()
  return {
    isEmpty() {
      return refusals.size === 0
    },
    renewAtMs() {
      const due = [...refusals.values()].flatMap(({ renewAtMs }) => renewAtMs ?? [])
      return due.length === 0 ? undefined : Math.min(...due)
    },
    refused: (address, nowMs) => {
      const known = refusals.get(address)
      if (known) known.renewAtMs ??= nowMs + known.pauseMs
      else refusals.set(address, { renewAtMs: nowMs + firstPauseMs, pauseMs: firstPauseMs })
      if (refusals.size > mostAddresses) refusals.delete(refusals.keys().next().value!)
    },
    accepted: (address) => {
      refusals.delete(address)
    },
    renewed: (nowMs) => {
      for (const refusal of refusals.values()) {
        const wasDue = refusal.renewAtMs !== undefined && refusal.renewAtMs <= nowMs
        if (wasDue) refusal.pauseMs = Math.min(longestPauseMs, refusal.pauseMs * 2)
        refusal.renewAtMs = undefined
      }
    },
  }
}
