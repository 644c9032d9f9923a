import { builtInExchanges } from '../check-references.ts'
import type { CompiledTopology } from '../compiled-topology.ts'
import type { DocumentIds } from './document-ids.ts'
import type { Channel } from './list-operations.ts'

/** The version of what AsyncAPI says about AMQP 0-9-1. */
export const bindingVersion = '0.3.0'

export interface ChannelContent {
  readonly channel: Channel
  readonly messages: readonly string[]
}

export interface ChannelPlace {
  readonly topology: CompiledTopology
  readonly vhost: string
  readonly ids: DocumentIds
}

export function renderChannel({ channel, messages }: ChannelContent, place: ChannelPlace): object {
  const { address } = channel
  const { ids } = place
  return {
    // Braces would be parameters there, and a key has none.
    address: /[{}]/.test(address) ? null : address,
    title: titleOf(channel),
    messages: Object.fromEntries(
      messages.map((name) => [ids.message(name), { $ref: ids.messagePlace(name) }]),
    ),
    bindings: { amqp: channel.is === 'queue' ? bindQueue(channel, place) : bindExchange(channel, place) },
  }
}

function titleOf({ is, address, exchange = '' }: Channel): string {
  if (is === 'queue') return `The queue ${address}`
  return address === '' ? exchange : `${exchange}, key ${address}`
}

/** What is declared elsewhere is known by its name only. */
function bindQueue({ address }: Channel, { topology, vhost }: ChannelPlace): object {
  const declared = topology.queues.find(({ name }) => name === address)
  const { durable, autoDelete } = declared ?? {}
  const queue = { name: address, durable, autoDelete, exclusive: declared && false, vhost }
  return { is: 'queue', queue, bindingVersion }
}

function bindExchange({ exchange: name = '' }: Channel, { topology, vhost }: ChannelPlace): object {
  const declared = topology.exchanges.find((each) => each.name === name)
  const { type = builtInExchanges[name] ?? '', durable = true, autoDelete = false } = declared ?? {}
  const exchange = { name, type: knownTypes.has(type) ? type : undefined, durable, autoDelete, vhost }
  return { is: 'routingKey', exchange, bindingVersion }
}

/** AsyncAPI has no word for exchanges of plugins. */
const knownTypes: ReadonlySet<string> = new Set(['topic', 'direct', 'fanout', 'headers'])
