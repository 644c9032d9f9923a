import type { Clock } from '../../clock.ts'
import { InvalidArgumentError, WarrenError } from '../../errors.ts'
import { largestTaken } from '../../publisher/largest-taken.ts'
import type { EncodedMessage } from '../../publisher/outgoing-message.ts'
import type { PublishResult } from '../../publisher/publish-result.ts'
import type { Publisher } from '../../publisher/publisher.ts'
import type { NamedBy, NameMessage } from '../../topology/name-message.ts'
import type { PublishAddress, QueueFlow } from '../../topology/queue-flow.ts'
import type { RawProperties } from '../../wire/properties.ts'
import { readProperty } from '../../wire/properties.ts'
import type { Recount } from '../decide/decide-admission.ts'
import { acknowledge, type Outcome } from '../decide/decide-outcome.ts'
import type { BodyLimit } from '../run/body-limit.ts'
import type { Run } from '../run/run.ts'
import { bareParkProperties, parkProperties } from './park-properties.ts'
import { deferProperties, type Republish, recountProperties, retryProperties } from './republish.ts'

/** What Warren can tell the broker about a delivery. It says nothing about a held one, so that is not among these. */
export type SettledOutcome =
  | Exclude<Outcome, { kind: 'hold' | 'requeue' }>
  | Recount
  | { readonly kind: 'give-back' }

/** What came of telling the broker. */
export type Settled =
  /** `isAcknowledged`: and not given back or rejected. */
  | { readonly kind: 'settled'; readonly outcome: SettledOutcome; readonly isAcknowledged: boolean }
  /** The channel is gone and the broker has the message back. `isDone`: it was handled, or the broker also has its copy. */
  | { readonly kind: 'stale'; readonly outcome: SettledOutcome; readonly isDone: boolean }

/** What settling by a publish came to. */
export type Settlement =
  | Settled
  /** The copy could not be placed, so the delivery is still ours. */
  | {
      readonly kind: 'unpublished'
      readonly result: PublishResult
      /** Another message was at fault, and this copy was in flight on the channel that was closed over it. */
      readonly isBystander: boolean
    }
  /**
   * There is no copy: it cannot be encoded, does not fit into a frame, or is larger than the broker takes. To try
   * again would change nothing.
   */
  | { readonly kind: 'unwritable'; readonly cause: WarrenError }

/** What copies are made with, and who sends them. */
export interface Copying {
  readonly flow: QueueFlow
  readonly publisher: Pick<Publisher, 'publishEncoded'>
  readonly bodyLimit: BodyLimit
  readonly login: string | undefined
  readonly options: {
    readonly clock: Pick<Clock, 'now'>
    readonly service: string | undefined
    readonly host: string | undefined
    /** The name of a message that says no type itself. */
    readonly nameOf?: NameMessage | undefined
  }
}

/** Tells the broker everything that needs no publish; undefined if the message moves on with one. */
export function settleAtOnce(run: Run, outcome: SettledOutcome): Settled | undefined {
  switch (outcome.kind) {
    case 'acknowledge':
      return run.delivery.ack() === 'sent' ? acknowledged : stale(outcome, true)
    case 'give-back':
      return giveBack(run)
    case 'retry':
      return outcome.delay.by === 'reject' ? nack(run, outcome) : undefined
    case 'dead-letter':
      return outcome.park.kind === 'reject' ? nack(run, outcome) : undefined
    case 'defer':
    case 'recount':
      return undefined
  }
}

/** Returns a delivery to its queue. */
export function giveBack(run: Run): Settled {
  return nack(run, { kind: 'give-back' })
}

/** Moves the message on, in an order that is never changed: publish, confirm and no return, then acknowledge. */
export async function settleByPublish(
  run: Run,
  outcome: SettledOutcome,
  copying: Copying,
): Promise<Settlement> {
  // The broker has it back already; a copy would be a second message.
  if (!run.delivery.isCurrent) return stale(outcome, false)
  const copy = writeCopy(run, outcome, copying)
  if (copy instanceof WarrenError) return { kind: 'unwritable', cause: copy }
  const result = await new Promise<PublishResult>((resolve) =>
    copying.publisher.publishEncoded(copy, resolve),
  )
  if (result.kind !== 'confirmed') return explainUnpublished(run, result, copying)
  if (run.delivery.ack() !== 'sent') return stale(outcome, true)
  return { kind: 'settled', outcome, isAcknowledged: true }
}

function explainUnpublished(run: Run, result: PublishResult, { bodyLimit }: Copying): Settlement {
  if (isRefusedHere(result)) return { kind: 'unwritable', cause: result.cause }
  const largestBytes = largestTaken(result)
  if (largestBytes === undefined) return { kind: 'unpublished', result, isBystander: false }
  bodyLimit.learn(largestBytes)
  const cause = bodyLimit.refuse(run.delivery.bodyBytes)
  return cause ? { kind: 'unwritable', cause } : { kind: 'unpublished', result, isBystander: true }
}

function writeCopy(run: Run, outcome: SettledOutcome, copying: Copying): EncodedMessage | WarrenError {
  const { delivery, span } = run
  const { flow, login, bodyLimit } = copying
  const tooLarge = bodyLimit.refuse(delivery.bodyBytes)
  if (tooLarge) return tooLarge
  try {
    const { address, failures, propertiesOf } = planMove(run, outcome, copying)
    const failedAttempts = run.failedBefore + failures
    const properties = propertiesOf({ delivery, flow, login, failedAttempts, lastAttempt: span?.traceparent })
    const messageId = readProperty(properties, 'messageId')
    return { ...address, properties, body: delivery.body, messageId }
  } catch (cause) {
    return new InvalidArgumentError((cause as Error).message, { cause })
  }
}

/** The connection carries no headers of this size, and says so before it sends anything. */
function isRefusedHere(result: PublishResult): result is PublishResult & { kind: 'unknown' } {
  return result.kind === 'unknown' && !result.wasSent && result.cause instanceof InvalidArgumentError
}

/** Where a copy goes, with which properties, and how many more attempts have failed. */
export interface Move {
  readonly address: PublishAddress
  readonly failures: 0 | 1
  readonly propertiesOf: (of: Republish) => RawProperties
}

export function planMove(
  { message }: { readonly message: NamedBy },
  outcome: SettledOutcome,
  { flow, options }: Pick<Copying, 'flow' | 'options'>,
): Move {
  const nowMs = options.clock.now()
  switch (outcome.kind) {
    case 'retry':
      if (outcome.delay.by === 'reject') break
      return {
        address: addressOf(outcome.delay.tier),
        failures: 1,
        propertiesOf: (of) => retryProperties({ ...of, nowMs }),
      }
    case 'defer': {
      const { untilMs, tier } = outcome
      return {
        address: addressOf(tier),
        failures: 0,
        propertiesOf: (of) => deferProperties({ ...of, untilMs }),
      }
    }
    case 'recount': {
      const home = { exchange: '', key: flow.queue }
      return { address: home, failures: 0, propertiesOf: (of) => recountProperties({ ...of, ...outcome }) }
    }
    case 'dead-letter': {
      const { park, reason, failure, isBare } = outcome
      if (park.kind === 'reject') break
      const { service, host } = options
      const type = options.nameOf?.(message)
      const write = isBare ? bareParkProperties : parkProperties
      return {
        address: { exchange: park.exchange, key: park.key ?? message.routingKey },
        failures: reason === 'poison' ? 0 : 1,
        propertiesOf: (of) => write({ ...of, reason, failure, nowMs, service, host, type }),
      }
    }
    case 'acknowledge':
    case 'give-back':
      break
  }
  throw new Error(`The outcome "${outcome.kind}" is settled without a publish.`)
}

function addressOf({ exchange, key }: PublishAddress): PublishAddress {
  return { exchange, key }
}

/** A nack and not a reject: from 4.3 on a reject counts towards the delivery limit of every queue to come. */
function nack(run: Run, outcome: SettledOutcome): Settled {
  if (run.delivery.nack({ requeue: outcome.kind === 'give-back' }) !== 'sent') return stale(outcome, false)
  return { kind: 'settled', outcome, isAcknowledged: false }
}

export function stale(outcome: SettledOutcome, isDone: boolean): Settled {
  return { kind: 'stale', outcome, isDone }
}

/** One for all, because most deliveries end with it. */
const acknowledged: Settled = { kind: 'settled', outcome: acknowledge, isAcknowledged: true }
