import { InvalidArgumentError } from '../errors.ts'
import { parseBrokerVersion } from '../message/broker-version.ts'
import type { Arguments, QueueType } from './declaration.ts'
import type { LiveBinding, LiveExchange, LivePolicy, LiveQueue, LiveTopology } from './live-topology.ts'

/**
 * Reads a definitions.json, of one vhost or of a whole broker, as if it were a live broker.
 * @param options.vhost which vhost to take where the file has several. Default: the only one, or `/`.
 * @example
 * ```ts
 * const live = readDefinitions(JSON.parse(readFileSync('definitions.json', 'utf8')))
 * ```
 */
export function readDefinitions(value: unknown, options: { vhost?: string } = {}): LiveTopology {
  if (!isRecord(value) || !Array.isArray(value.queues) || !Array.isArray(value.exchanges)) {
    throw new InvalidArgumentError(
      'This is not a definitions.json: it has no lists "queues" and "exchanges". Export one with `rabbitmqctl export_definitions`.',
    )
  }
  const vhost = options.vhost ?? onlyVhost(value)
  const list = (name: string) => {
    const items = Array.isArray(value[name]) ? value[name].filter(isRecord) : []
    // An export of one vhost does not repeat its name on every line.
    return items.filter((item) => item.vhost === undefined || item.vhost === vhost)
  }
  return {
    brokerVersion: parseBrokerVersion(textOf(value.rabbitmq_version ?? value.rabbit_version, '3.10.0')),
    exchanges: list('exchanges').map(readExchange),
    queues: list('queues').map(readQueue),
    bindings: list('bindings').map(readBinding),
    policies: [
      ...list('policies').map((item) => readPolicy(item, false)),
      // An export has operator policies among the parameters.
      ...list('parameters')
        .filter(({ component }) => component === 'operator_policy')
        .map((item) => readPolicy({ ...(isRecord(item.value) ? item.value : {}), name: item.name }, true)),
    ],
  }
}

type Item = Readonly<Record<string, unknown>>

function onlyVhost(value: Item): string {
  const items = [value.queues, value.exchanges].flatMap((list) =>
    Array.isArray(list) ? list.filter(isRecord) : [],
  )
  const names = new Set(items.map(({ vhost }) => vhost).filter((name) => typeof name === 'string'))
  const [first] = names
  if (names.size > 1 && !names.has('/')) {
    throw new InvalidArgumentError(
      `The definitions have the vhosts ${[...names].join(', ')}; name the one to read.`,
    )
  }
  return names.size === 1 && first !== undefined ? first : '/'
}

function readExchange(item: Item): LiveExchange {
  return {
    name: textOf(item.name),
    type: textOf(item.type, 'direct'),
    durable: item.durable !== false,
    autoDelete: item.auto_delete === true,
    internal: item.internal === true,
    arguments: argumentsOf(item.arguments),
  }
}

function readQueue(item: Item): LiveQueue {
  const { 'x-queue-type': typeArgument, ...args } = argumentsOf(item.arguments)
  return {
    name: textOf(item.name),
    type: queueTypeOf(typeArgument ?? item.type),
    durable: item.durable !== false,
    autoDelete: item.auto_delete === true,
    arguments: args,
  }
}

function readBinding(item: Item): LiveBinding {
  return {
    source: textOf(item.source),
    destination: textOf(item.destination),
    destinationType: item.destination_type === 'exchange' ? 'exchange' : 'queue',
    key: textOf(item.routing_key),
    arguments: argumentsOf(item.arguments),
  }
}

function readPolicy(item: Item, isOperatorPolicy: boolean): LivePolicy {
  return {
    name: textOf(item.name),
    pattern: textOf(item.pattern),
    applyTo: textOf(item['apply-to'], 'all'),
    priority: typeof item.priority === 'number' ? item.priority : 0,
    definition: argumentsOf(item.definition),
    isOperatorPolicy,
  }
}

function queueTypeOf(value: unknown): QueueType {
  return value === 'quorum' || value === 'stream' ? value : 'classic'
}

function argumentsOf(value: unknown): Arguments {
  return isRecord(value) ? (value as Arguments) : {}
}

function textOf(value: unknown, fallback = ''): string {
  return typeof value === 'string' ? value : fallback
}

function isRecord(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
