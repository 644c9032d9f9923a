import { clearInterval, setInterval } from '../../world.ts'

/** Keeps a connection alive and notices when the other side is gone. */
export interface Heartbeat {
  /** Bytes arrived: the other side lives. */
  received(): void
  stop(): void
}

export interface HeartbeatOptions {
  readonly seconds: number
  /** Bytes sent so far; while they grow no heartbeat is needed. */
  readonly sentBytes: () => number
  readonly send: () => void
  readonly onMissed: () => void
}

/** Silent half-intervals that are borne: the next tick ends it, after two to two and a half heartbeats of silence. */
const silentTicksAllowed = 4

/**
 * Silence is counted in ticks of our own timer, not in wall time: after this process was stopped or
 * blocked for minutes, one tick passes, the waiting bytes are read, and nobody is taken for dead.
 */
export function startHeartbeat({ seconds, sentBytes, send, onMissed }: HeartbeatOptions): Heartbeat {
  if (seconds === 0) return { received: () => {}, stop: () => {} }
  let silentTicks = 0
  let lastSentBytes = sentBytes()
  const timer = setInterval(() => {
    silentTicks += 1
    if (silentTicks > silentTicksAllowed) {
      onMissed()
      return
    }
    if (sentBytes() === lastSentBytes) send()
    lastSentBytes = sentBytes()
  }, seconds * 500)
  timer.unref()
  return {
    received: () => {
      silentTicks = 0
    },
    stop: () => clearInterval(timer),
  }
}
