import { inspectQueue } from '../../broker/amqp/declarations.ts'
import type { Session } from '../../broker/amqp/session.ts'
import { clearInterval, setInterval } from '../../world.ts'

const sampleEveryMs = 500

/** Asks now and then how many messages are ready, on a channel of its own. Gives back how to end it. */
export function sampleDepth(
  { consuming, queue }: { readonly consuming: Session; readonly queue: string },
  onDepth: (depth: number) => void,
): () => void {
  const probe = consuming.openChannel()
  const timer = setInterval(() => {
    probe
      .then((channel) => inspectQueue(channel, queue))
      .then(({ messageCount }) => onDepth(messageCount))
      .catch(() => {}) // the connection is lost, and the pass with it
  }, sampleEveryMs)
  return () => {
    clearInterval(timer)
    probe.then((channel) => channel.close()).catch(() => {})
  }
}
