import type { Management } from '../broker/management/open-management.ts'
import type { ManagedQueue } from '../broker/management/queues.ts'
import { observeTopology } from '../deploy/observe-topology.ts'
import { RecoveryError } from '../errors.ts'
import { indexRoutes } from '../topology/route.ts'
import type { QueueFacts } from './decide-look.ts'

/** What the management API knows of a queue, and how long a message of it may be held. */
export interface ObservedQueue {
  readonly facts: Omit<QueueFacts, 'isServedElsewhere'>
  /** RabbitMQ takes a message back that is not settled for so long; undefined where the queue does not say. */
  readonly consumerTimeoutMs: number | undefined
  /** It serves one consumer at a time. */
  readonly isSingleActive: boolean
  /** Of a body, by what the broker counted some seconds ago; undefined where it counted nothing. */
  readonly averageBytes: number | undefined
}

/** Reads a queue before a message is taken from it; without the API nothing is known. */
export async function observeQueue(
  management: Management | undefined,
  { vhost, queue }: { vhost: string; queue: string },
): Promise<ObservedQueue> {
  const found = await management?.queues.find({ vhost, name: queue })
  if (management && !found) {
    throw new RecoveryError({
      code: 'RECOVERY_QUEUE_NOT_FOUND',
      message: `There is no queue "${queue}" in the vhost "${vhost}". Check the name with \`warren dlq list\`.`,
    })
  }
  const isCaught = management && found ? await isOverLimitCaught(management, found) : false
  return {
    facts: {
      ...{ vhost, queue },
      type: typeOf(found?.type ?? found?.arguments['x-queue-type']),
      reportedLimit: found?.deliveryLimit,
      argumentLimit: numberOf(found?.arguments['x-delivery-limit']),
      policyLimit: numberOf(found?.effectivePolicy?.['delivery-limit']),
      policyDefinition: found?.effectivePolicy ?? {},
      overLimit: isCaught ? 'kept' : 'deleted',
      isAutoDelete: found?.autoDelete ?? false,
      refusesWhenFull: found !== undefined && refusesWhenFull(found),
    },
    isSingleActive: found?.arguments['x-single-active-consumer'] === true,
    consumerTimeoutMs: lowest(
      numberOf(found?.arguments['x-consumer-timeout']),
      numberOf(found?.effectivePolicy?.['consumer-timeout']),
    ),
    averageBytes: found && averageBytesOf(found),
  }
}

function averageBytesOf({ messages, messageBytes }: ManagedQueue): number | undefined {
  return messages && messageBytes ? messageBytes / messages : undefined
}

/** Whether the dead-letter exchange of the queue leads to another queue, whatever key a message has. */
async function isOverLimitCaught(management: Management, found: ManagedQueue): Promise<boolean> {
  const exchange = setting(found, 'dead-letter-exchange')
  if (typeof exchange !== 'string') return false
  const { vhost, name } = found
  const routes = indexRoutes(await observeTopology(management, { vhost }))
  const key = setting(found, 'dead-letter-routing-key')
  // Without a key of the queue's own each message keeps its key, and only a fanout takes any.
  if (typeof key !== 'string' && routes.exchangeType(exchange) !== 'fanout') return false
  const reached = routes.route({ exchange, key: typeof key === 'string' ? key : '' })
  return reached.some(({ queue }) => queue !== name)
}

/** Of a quorum queue; there the policy decides what happens to what is too much. */
function refusesWhenFull(found: ManagedQueue): boolean {
  const isBounded = ['max-length', 'max-length-bytes'].some((key) => setting(found, key) !== undefined)
  const overflow = found.effectivePolicy?.overflow ?? found.arguments['x-overflow']
  return isBounded && overflow === 'reject-publish'
}

function setting({ arguments: args, effectivePolicy }: ManagedQueue, key: string): unknown {
  return args[`x-${key}`] ?? effectivePolicy?.[key]
}

function typeOf(type: unknown): QueueFacts['type'] {
  return type === 'classic' || type === 'quorum' || type === 'stream' ? type : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function lowest(...values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
