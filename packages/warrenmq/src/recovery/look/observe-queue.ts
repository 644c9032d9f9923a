import type { Management } from '../../broker/management/open-management.ts'
import type { Policy } from '../../broker/management/policies.ts'
import type { ManagedQueue } from '../../broker/management/queues.ts'
import { observeTopology } from '../../deploy/observe-topology.ts'
import { ManagementError, RecoveryError } from '../../errors.ts'
import { brokerCapabilities } from '../../message/broker-capabilities.ts'
import type { BrokerVersion } from '../../message/broker-version.ts'
import type { Arguments } from '../../topology/declaration.ts'
import { policyInForce } from '../../topology/policies-in-force.ts'
import { indexRoutes } from '../../topology/route.ts'
import type { QueueFacts } from './decide-look.ts'

/** What the management API knows about a queue, and how long a message of it may be held. */
export interface ObservedQueue {
  readonly facts: Omit<QueueFacts, 'isServedElsewhere'>
  /** RabbitMQ takes back a message that is not settled for this long; undefined if the queue does not say. */
  readonly consumerTimeoutMs: number | undefined
  /** It serves one consumer at a time. */
  readonly isSingleActive: boolean
  /** Of a body, by what the broker counted some seconds ago; undefined if it counted nothing. */
  readonly averageBytes: number | undefined
}

/** Reads a queue before a message is taken from it; without the API nothing is known. */
export async function observeQueue(
  management: Management | undefined,
  { vhost, queue, version }: { vhost: string; queue: string; version: BrokerVersion },
): Promise<ObservedQueue> {
  const found = await management?.queues.find({ vhost, name: queue })
  if (management && !found) {
    throw new RecoveryError({
      code: 'RECOVERY_QUEUE_NOT_FOUND',
      message: `There is no queue "${queue}" in the vhost "${vhost}". Check the name with \`warren dlq list\`, or name another vhost with --vhost.`,
    })
  }
  const standing = management && found ? await standingPolicy(management, { found, version }) : undefined
  const isCaught = management && found ? await isOverLimitCaught(management, { found, standing }) : false
  return {
    facts: {
      vhost,
      queue,
      type: typeOf(found?.type ?? found?.arguments['x-queue-type']),
      reportedLimit: found?.deliveryLimit,
      argumentLimit: numberOf(found?.arguments['x-delivery-limit']),
      policyLimit: numberOf(found?.effectivePolicy?.['delivery-limit']),
      standingPolicyLimit: numberOf(standing?.['delivery-limit']),
      policyDefinition: standing ?? found?.effectivePolicy ?? {},
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

/**
 * What the policies say about a queue at this moment. RabbitMQ obeys a policy immediately, and its statistics of the
 * queue show it up to eight seconds later. Undefined if the account may not read policies.
 */
async function standingPolicy(
  management: Management,
  { found, version }: { found: ManagedQueue; version: BrokerVersion },
): Promise<Arguments | undefined> {
  const { vhost, name } = found
  try {
    const [policies, operatorPolicies] = await Promise.all([
      management.policies.list({ vhost }),
      management.operatorPolicies.list({ vhost }),
    ])
    const type = typeOf(found.type ?? found.arguments['x-queue-type']) ?? 'classic'
    return policyInForce(
      { name, type },
      {
        policies: policies.map(withArguments),
        operatorPolicies: operatorPolicies.map(withArguments),
        capabilities: brokerCapabilities(version),
      },
    )
  } catch (error) {
    if (error instanceof ManagementError && error.code === 'MANAGEMENT_FORBIDDEN') return undefined
    throw error
  }
}

function withArguments(policy: Policy): Policy & { readonly definition: Arguments } {
  return { ...policy, definition: policy.definition as Arguments }
}

/** Whether the dead-letter exchange of the queue leads to another queue, whatever key a message has. */
async function isOverLimitCaught(
  management: Management,
  { found, standing }: { found: ManagedQueue; standing: Arguments | undefined },
): Promise<boolean> {
  const exchange = setting(found, 'dead-letter-exchange')
  if (typeof exchange !== 'string') return false
  // One that a policy has given up a moment ago catches nothing any more.
  if (standing && setting({ ...found, effectivePolicy: standing }, 'dead-letter-exchange') !== exchange)
    return false
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

function setting(
  { arguments: args, effectivePolicy }: Pick<ManagedQueue, 'arguments' | 'effectivePolicy'>,
  key: string,
): unknown {
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
