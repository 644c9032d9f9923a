import type { FieldTable } from '../../../wire/field-value.ts'
import type { EffectivePolicy } from '../policy/policies.ts'
import type { Queue } from '../queue/queue.ts'
import type { ExchangeType } from './exchange-type.ts'

export interface Exchange {
  readonly resourceKind: 'exchange'
  readonly name: string
  readonly type: ExchangeType
  readonly isDurable: boolean
  readonly isAutoDelete: boolean
  readonly isInternal: boolean
  readonly arguments: FieldTable
  readonly bindings: BindingTable
  /** Of this exchange as a source. */
  bindingCount: number
  policy: EffectivePolicy
}

export type ExchangeDeclaration = Pick<
  Exchange,
  'name' | 'type' | 'isDurable' | 'isAutoDelete' | 'isInternal' | 'arguments'
>

/** Where a binding leads. */
export type Destination = Queue | Exchange

export interface Binding {
  readonly source: Exchange
  readonly destination: Destination
  readonly routingKey: string
  /** Sorted by name, as RabbitMQ keeps and shows them. */
  readonly arguments: FieldTable
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
