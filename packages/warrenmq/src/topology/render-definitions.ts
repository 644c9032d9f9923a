import type { CompiledTopology } from './compiled-topology.ts'
import type { Arguments } from './declaration.ts'

/** The part of a definitions.json that a topology fills. Users, vhosts and policies are not ours to say. */
export interface Definitions {
  /** All exchanges of the topology. */
  readonly exchanges: readonly ExchangeDefinition[]
  /** All queues of the topology, wait and dead-letter queues among them. */
  readonly queues: readonly QueueDefinition[]
  /** All bindings of the topology. */
  readonly bindings: readonly BindingDefinition[]
}

/** An exchange, in the names of definitions.json. */
export interface ExchangeDefinition {
  /** Its name. */
  readonly name: string
  /** The vhost that it belongs to. */
  readonly vhost: string
  /** `direct`, `fanout`, `topic`, `headers`, or one that a plugin brings. */
  readonly type: string
  /** It survives a restart of the broker. */
  readonly durable: boolean
  /** It goes with its last binding. */
  readonly auto_delete: boolean
  /** Only other exchanges may publish to it. */
  readonly internal: boolean
  /** Optional settings, such as `alternate-exchange`. */
  readonly arguments: Arguments
}

/** A queue, in the names of definitions.json. */
export interface QueueDefinition {
  /** Its name. */
  readonly name: string
  /** The vhost that it belongs to. */
  readonly vhost: string
  /** It survives a restart of the broker. */
  readonly durable: boolean
  /** It goes with its last consumer. */
  readonly auto_delete: boolean
  /** Type, limits, dead-lettering: everything that begins with `x-`. */
  readonly arguments: Arguments
}

/** A binding, in the names of definitions.json. */
export interface BindingDefinition {
  /** The exchange that messages come from. */
  readonly source: string
  /** The vhost of both ends. */
  readonly vhost: string
  /** The queue or exchange that they go to. */
  readonly destination: string
  /** What `destination` names. */
  readonly destination_type: 'queue' | 'exchange'
  /** The key or pattern that a message must match. */
  readonly routing_key: string
  /** Conditions of a headers exchange, and the like. */
  readonly arguments: Arguments
}

/**
 * A definitions.json for the management API and for `rabbitmqctl import_definitions`.
 * @example
 * ```ts
 * const text = JSON.stringify(renderDefinitions(compiled, { vhost: '/' }))
 * ```
 */
export function renderDefinitions(
  topology: CompiledTopology,
  { vhost = '/' }: { vhost?: string } = {},
): Definitions {
  return {
    exchanges: topology.exchanges.map(({ name, type, durable, autoDelete, internal, arguments: args }) => ({
      name,
      vhost,
      type,
      durable,
      auto_delete: autoDelete,
      internal,
      arguments: args,
    })),
    queues: topology.queues.map(({ name, type, durable, autoDelete, arguments: args }) => ({
      name,
      vhost,
      durable,
      auto_delete: autoDelete,
      arguments: { 'x-queue-type': type, ...args },
    })),
    bindings: topology.bindings.map(({ source, destination, destinationType, key, arguments: args }) => ({
      source,
      vhost,
      destination,
      destination_type: destinationType,
      routing_key: key,
      arguments: args,
    })),
  }
}
