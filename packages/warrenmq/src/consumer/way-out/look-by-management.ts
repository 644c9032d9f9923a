import type { Management } from '../../broker/management/open-management.ts'
import { ConsumerError } from '../../errors.ts'
import type { CompiledBinding, CompiledExchange } from '../../topology/compiled-topology.ts'
import type { Arguments } from '../../topology/declaration.ts'
import type { ManagedQueueSettings, ManagedWay } from './decide-way-out.ts'
import type { WayStep } from './plan-way-out.ts'

/** Where to look for the way of a failed message, and for whom. */
export interface ManagementLook {
  /** The parts of the API that are asked. */
  readonly management: Pick<Management, 'queues' | 'exchanges' | 'bindings'>
  /** The vhost of the consumer. */
  readonly vhost: string
  /** The queue that is consumed. */
  readonly queue: string
  /** The steps that a failed message takes. */
  readonly steps: readonly WayStep[]
  /** Ends the look. */
  readonly signal: AbortSignal
}

/** Reads what the management API knows about the way, one thing at a time: a vhost may have many thousand queues. */
export async function lookByManagement(look: ManagementLook): Promise<ManagedWay> {
  const { queue, steps } = look
  const named = steps.flatMap(({ from, to }) => [from, to]).filter((name) => name !== undefined)
  const names = [...new Set([queue, ...named])]
  const found = await Promise.all(names.map((name) => settingsOf(name, look)))
  const queues = found.filter((each) => each !== undefined)
  if (!queues.some(({ name }) => name === queue)) throw unknownQueue(queue)
  // As it is and as it was declared: a queue that lost its arguments may still lead somewhere by a policy.
  const exchanges = [...steps.map(({ exchange }) => exchange), ...queues.map(deadLetterExchangeOf)]
  return { queues, ...(await walkExchanges(exchanges, look)) }
}

async function settingsOf(
  name: string,
  { management, vhost, signal }: ManagementLook,
): Promise<ManagedQueueSettings | undefined> {
  const queue = await management.queues.find({ vhost, name }, { signal })
  if (!queue) return undefined
  return {
    name,
    arguments: queue.arguments as Arguments,
    effectivePolicy: (queue.effectivePolicy ?? {}) as Arguments,
  }
}

function deadLetterExchangeOf({ arguments: args, effectivePolicy }: ManagedQueueSettings): string {
  const exchange = args['x-dead-letter-exchange'] ?? effectivePolicy['dead-letter-exchange']
  return typeof exchange === 'string' ? exchange : ''
}

/** Exchanges may be bound to others, and those to others again. */
async function walkExchanges(
  names: readonly string[],
  { management, vhost, signal }: ManagementLook,
): Promise<Pick<ManagedWay, 'exchanges' | 'bindings'>> {
  const exchanges: CompiledExchange[] = []
  const bindings: CompiledBinding[] = []
  const open = new Set(names.filter((name) => name !== ''))
  // A set gives what is added while it is walked.
  for (const name of open) {
    const exchange = await management.exchanges.find({ vhost, name }, { signal })
    if (!exchange) continue
    const args = exchange.arguments as Arguments
    exchanges.push({ ...exchange, arguments: args })
    const alternate = args['alternate-exchange']
    if (typeof alternate === 'string') open.add(alternate)
    for (const binding of await management.bindings.listFrom({ vhost, name }, { signal })) {
      bindings.push({ ...binding, key: binding.routingKey, arguments: binding.arguments as Arguments })
      if (binding.destinationType === 'exchange') open.add(binding.destination)
    }
  }
  return { exchanges, bindings }
}

/** AMQP has shown the queue, or will when it is consumed: who does not know it is not the same broker. */
function unknownQueue(queue: string): ConsumerError {
  return new ConsumerError({
    code: 'WAY_OUT_UNPROVED',
    message: `the management API lists no queue "${queue}", so it may belong to another broker`,
  })
}
