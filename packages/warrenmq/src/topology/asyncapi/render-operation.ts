import { formatDuration } from '../../message/duration.ts'
import type { QueueFlow } from '../queue-flow.ts'
import type { DocumentIds } from './document-ids.ts'
import type { Operation } from './list-operations.ts'
import { bindingVersion } from './render-channel.ts'

export function renderOperation({ action, channel, messages, flow }: Operation, ids: DocumentIds): object {
  const place = ids.channelPlace(channel)
  return {
    action,
    channel: { $ref: place },
    messages: messages.map((name) => ({ $ref: `${place}/messages/${ids.message(name)}` })),
    description: flow && describeAttempts(flow),
    bindings: { amqp: action === 'send' ? sending : receiving },
  }
}

const sending = { deliveryMode: 2, mandatory: true, bindingVersion }
const receiving = { ack: true, bindingVersion }

/** What becomes of a message that its consumer fails to handle. */
function describeAttempts({ retry, maxAttempts, deadLetterQueue }: QueueFlow): string {
  const end = deadLetterQueue === undefined ? '' : `, then kept in ${deadLetterQueue}`
  if (retry === undefined) return `Tried once${end}.`
  const delays = retry.kind === 'reject' ? [retry.delayMs] : retry.scheduleMs
  return `Tried up to ${maxAttempts} times, after ${delays.map(formatDuration).join(', ')}${end}.`
}
