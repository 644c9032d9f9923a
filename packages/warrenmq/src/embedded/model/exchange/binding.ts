import type { FieldTable } from '../../../wire/field-value.ts'
import { encodeTable } from '../../../wire/write-field.ts'
import { sortTable } from '../message/field-terms.ts'
import type { Queue } from '../queue/queue.ts'
import type { Exchange } from './exchange.ts'

/** Where a binding leads. */
export type Destination = Queue | Exchange

export interface Binding {
  readonly source: Exchange
  readonly destination: Destination
  readonly routingKey: string
  /** Sorted by name, as RabbitMQ keeps and shows them. */
  readonly arguments: FieldTable
}

export function makeBinding({ source, destination, routingKey, arguments: args }: Binding): Binding {
  return { source, destination, routingKey, arguments: sortTable(args) }
}

/** Two bindings with the same id are one binding. */
export function idOfBinding({ source, destination, routingKey, arguments: args }: Binding): string {
  return JSON.stringify([
    source.name,
    destination.resourceKind,
    destination.name,
    routingKey,
    args.length === 0 ? '' : encodeTable(args).toString('latin1'),
  ])
}

/** The bindings of one exchange, kept so that routing is quick. */
export interface BindingTable {
  add(binding: Binding): void
  remove(binding: Binding): void
  /** Calls `onMatch` for each binding that fits; a destination may come more than once. */
  match(message: RoutedMessage, onMatch: (destination: Destination) => void): void
}

/** What routing looks at. Headers are decoded only where an exchange asks for them. */
export interface RoutedMessage {
  readonly routingKeys: readonly string[]
  readonly headers: () => FieldTable
}
