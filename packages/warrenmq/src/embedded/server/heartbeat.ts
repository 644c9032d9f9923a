import { clearInterval, setInterval } from '../../world.ts'

/** Keeps a connection alive and notices when its other end is gone. Always on real time: the client's is. */
export interface Heartbeat {
  sent(): void
  received(): void
  stop(): void
}

/** An interval of 0 seconds means that neither side beats. */
export function createHeartbeat(
  intervalSeconds: number,
  { beat, onSilence }: { beat: () => void; onSilence: () => void },
): Heartbeat {
  if (intervalSeconds === 0)
    return { sent: () => undefined, received: () => undefined, stop: () => undefined }
  let hasSent = false
  let silentHalves = 0

  const timer = setInterval(() => {
    if (!hasSent) beat()
    hasSent = false
    silentHalves += 1
    // Two whole intervals without a byte.
    if (silentHalves > 4) onSilence()
  }, intervalSeconds * 500)
  timer.unref()

  return {
    sent: () => {
      hasSent = true
    },
    received: () => {
      silentHalves = 0
    },
    stop: () => clearInterval(timer),
  }
}
