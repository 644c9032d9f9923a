import { ChannelError, ConnectionError, PublishError } from '../../errors.ts'
import { largestTaken } from '../../publisher/largest-taken.ts'
import { namesExchange } from '../../publisher/names-exchange.ts'
import type { PublishResult } from '../../publisher/publish-result.ts'
import type { RedriveEvent, UnansweredCause } from './redrive-event.ts'
import { queuesOf, type RedriveRules } from './redrive-rules.ts'
import type { Taken } from './taken.ts'

type Address = { readonly exchange: string; readonly key: string }

/** What an answer that is no confirm, or none, means for a message. */
export function readFailure(
  message: Taken,
  result: Exclude<PublishResult, { kind: 'confirmed' }>,
  { rules, address }: { readonly rules: Pick<RedriveRules, 'prove'>; readonly address: Address },
): RedriveEvent<Taken> {
  switch (result.kind) {
    case 'returned':
      return { kind: 'returned', message }
    case 'nacked': {
      const queues = queuesOf(rules, address)
      return { kind: 'nacked', message, queues, mayBeThere: !isRefusal(rules, address) }
    }
    case 'unknown': {
      const cause = causeOf(result, address)
      const mayBeThere = result.wasSent
      return { kind: 'unanswered', message, cause, mayBeThere, largestBytes: largestTaken(result) }
    }
  }
}

/**
 * A nack of a queue that refuses when it is full says that it has not taken the message. With several queues, one may
 * have it; and a queue that cannot be full has had an accident.
 */
function isRefusal(rules: Pick<RedriveRules, 'prove'>, address: Address): boolean {
  const proof = rules.prove(address)
  return proof?.isSafe === true && proof.queues.length === 1 && proof.refusesWhenFull
}

const preconditionFailed = 406

function causeOf(
  { cause, wasSent }: Extract<PublishResult, { kind: 'unknown' }>,
  address: Address,
): UnansweredCause {
  if (cause instanceof PublishError && cause.code === 'PUBLISHER_CLOSED') return 'deadline'
  if (cause instanceof PublishError) return wasSent ? 'deadline' : 'unsent'
  if (cause instanceof ConnectionError) return wasSent ? 'connection-lost' : 'unsent'
  if (!(cause instanceof ChannelError)) return 'deadline' // it cannot be written
  if (namesExchange(cause, address.exchange)) return 'at-fault'
  if (cause.replyCode === preconditionFailed) return 'closed'
  return wasSent ? 'connection-lost' : 'unsent'
}
