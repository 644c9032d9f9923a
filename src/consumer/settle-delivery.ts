import type { EncodedMessage } from '../publisher/outgoing-message.ts'
import type { PublishResult } from '../publisher/publish-result.ts'
import type { PublishAddress, QueueFlow } from '../topology/queue-flow.ts'
import type { RawProperties } from '../wire/properties.ts'
import { readProperty } from '../wire/properties.ts'
import type { Outcome } from './decide-outcome.ts'
import { parkProperties } from './park-properties.ts'
import {
  deferProperties,
  type Republish,
  recountProperties,
  retryProperties,
} from './republish-properties.ts'
import type { Run } from './run.ts'

/** What can be told to the broker about a delivery. A hold is told nothing, so it is not among these. */
export type SettledOutcome =
  | Exclude<Outcome, { kind: 'hold' | 'requeue' }>
  | { readonly kind: 'recount'; readonly deliveries: number }
  | { readonly kind: 'give-back' }

/** What settling came to. */
export type Settlement =
  /** `isAcknowledged`: and not given back or rejected. */
  | { readonly kind: 'settled'; readonly isAcknowledged: boolean }
  /** The channel is gone and the broker has the message back. `isPublished`: it also has the copy. */
  | { readonly kind: 'stale'; readonly isPublished: boolean }
  /** The copy could not be placed, so the delivery is still ours. */
  | { readonly kind: 'unpublished'; readonly result: PublishResult }

export interface SettlePorts {
  readonly flow: QueueFlow
  readonly publish: (message: EncodedMessage) => Promise<PublishResult>
  readonly login: string | undefined
  readonly service: string | undefined
  readonly host: string | undefined
  readonly now: () => number
}

/**
 * Tells the broker. Where the message moves on by a publish, the order is never changed: publish, wait for the
 * confirm without a return, then acknowledge.
 */
export async function settleDelivery(
  run: Run,
  outcome: SettledOutcome,
  ports: SettlePorts,
): Promise<Settlement> {
  switch (outcome.kind) {
    case 'acknowledge':
      return run.delivery.ack() === 'sent' ? acknowledged : stale
    case 'give-back':
      return run.delivery.nack({ requeue: true }) === 'sent' ? settled : stale
    case 'retry':
      if (outcome.delay.by === 'reject') return reject(run)
      return moveTo(run, outcome.delay.tier, ports, (of) => retryProperties({ ...of, nowMs: ports.now() }), 1)
    case 'defer':
      return moveTo(run, outcome.tier, ports, (of) => deferProperties({ ...of, untilMs: outcome.untilMs }))
    case 'recount': {
      const { deliveries } = outcome
      const home = { exchange: '', key: ports.flow.queue }
      return moveTo(run, home, ports, (of) => recountProperties({ ...of, deliveries }))
    }
    case 'dead-letter':
      return park(run, outcome, ports)
  }
}

function park(
  run: Run,
  outcome: Outcome & { kind: 'dead-letter' },
  ports: SettlePorts,
): Promise<Settlement> | Settlement {
  const { park: rule, reason, failure } = outcome
  if (rule.kind === 'reject') return reject(run)
  const { service, host } = ports
  const address = { exchange: rule.exchange, key: rule.key ?? run.message.routingKey }
  const nowMs = ports.now()
  const hasRun = reason === 'poison' ? 0 : 1
  return moveTo(
    run,
    address,
    ports,
    (of) => parkProperties({ ...of, reason, failure, nowMs, service, host }),
    hasRun,
  )
}

/** A nack and not a reject: from 4.3 on a reject counts towards the delivery limit of every queue to come. */
function reject(run: Run): Settlement {
  return run.delivery.nack({ requeue: false }) === 'sent' ? settled : stale
}

async function moveTo(
  run: Run,
  { exchange, key }: PublishAddress,
  ports: SettlePorts,
  propertiesOf: (of: Republish) => RawProperties,
  failures = 0,
): Promise<Settlement> {
  const { delivery } = run
  // The broker has it back already; a copy would be a second message.
  if (!delivery.isCurrent) return stale
  const { flow, login } = ports
  const failedAttempts = run.failedBefore + failures
  const properties = propertiesOf({ delivery, flow, login, failedAttempts })
  const messageId = readProperty(properties, 'messageId')
  const result = await ports.publish({ exchange, key, properties, body: delivery.body, messageId })
  if (result.kind !== 'confirmed') return { kind: 'unpublished', result }
  return run.delivery.ack() === 'sent' ? acknowledged : { kind: 'stale', isPublished: true }
}

const acknowledged: Settlement = { kind: 'settled', isAcknowledged: true }
const settled: Settlement = { kind: 'settled', isAcknowledged: false }
const stale: Settlement = { kind: 'stale', isPublished: false }
