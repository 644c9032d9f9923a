import type { CompiledTopology } from './compiled-topology.ts'
import type { Arguments } from './declaration.ts'

/** The part of a definitions.json that a topology fills. Users, vhosts and policies are not ours to say. */
export interface Definitions {
  readonly exchanges: readonly ExchangeDefinition[]
  readonly queues: readonly QueueDefinition[]
  readonly bindings: readonly BindingDefinition[]
}

export interface ExchangeDefinition {
  readonly name: string
  readonly vhost: string
  readonly type: string
  readonly durable: boolean
  readonly auto_delete: boolean
  readonly internal: boolean
  readonly arguments: Arguments
}

export interface QueueDefinition {
  readonly name: string
  readonly vhost: string
  readonly durable: boolean
  readonly auto_delete: boolean
  readonly arguments: Arguments
}

export interface BindingDefinition {
  readonly source: string
  readonly vhost: string
  readonly destination: string
  readonly destination_type: 'queue' | 'exchange'
  readonly routing_key: string
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
