import { formatDuration } from '../../message/duration.ts'
import type { QueueFlow } from '../queue-flow.ts'

/** What becomes of a message that its consumer does not handle, in a sentence. */
export function describeAttempts({ retry, maxAttempts, deadLetterQueue }: QueueFlow): string {
  const end = deadLetterQueue === undefined ? '' : `, then kept in ${deadLetterQueue}`
  if (retry === undefined) return `Tried once${end}.`
  const delays = retry.kind === 'reject' ? [retry.delayMs] : retry.scheduleMs
  return `Tried up to ${maxAttempts} times, with ${delays.map(formatDuration).join(', ')} between${end}.`
}
