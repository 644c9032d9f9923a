import type {
  BindingDeclaration,
  ExchangeDeclaration,
  ExchangeType,
  LayoutChoice,
  QueueDeclaration,
  TopologyDeclaration,
} from './declaration.ts'
import type { MessageDeclarations, NoMessages, OnlySettings } from './message-declaration.ts'
import type { RoutedMessages } from './routed-messages.ts'
import { readTopology } from './validate-topology.ts'

/**
 * A declaration without mistakes. `QueueName` is the union of its queues, so that `consume()` knows them; `Messages` are
 * its messages, and `Routed` has the names of those that each queue gets.
 */
export interface Topology<
  QueueName extends string = string,
  Messages extends MessageDeclarations = NoMessages,
  // Only carried along: a topology with messages shall pass for one of which nobody knows any.
  _Routed = Readonly<Record<QueueName, keyof Messages>>,
> extends TopologyDeclaration<QueueName> {
  /** Queues by name. */
  readonly queues: Readonly<Record<QueueName, QueueDeclaration>>
  /** Messages by name. */
  readonly messages?: Messages
}

/** What `defineTopology` takes: a declaration of which TypeScript remembers what leads where. */
export interface TopologyToDefine<
  Types,
  Binds,
  Messages extends MessageDeclarations,
  Source extends string,
  Alternate extends string,
  Layout extends LayoutChoice,
> extends Omit<TopologyDeclaration, 'exchanges' | 'queues' | 'messages' | 'layout'> {
  /** How queues retry and park: a layout by name, or with its parameters. @default 'warren' */
  readonly layout?: Layout
  /** Exchanges by name. */
  readonly exchanges?: {
    readonly [Name in keyof Types]: FeedingExchange<Source, Alternate> & { readonly type: Types[Name] }
    // The compiler learns only `Types` from the line above, and the rest from this one.
  } & Readonly<Record<string, FeedingExchange<Source, Alternate>>>
  /** Queues by name. */
  readonly queues: {
    readonly [Name in keyof Binds]: QueueOfLayout<Layout> & {
      readonly bind?: Binds[Name] & readonly BindingDeclaration[]
    }
    // As above: `Layout` is learnt from this line.
  } & Readonly<Record<string, QueueOfLayout<Layout> & Pick<QueueDeclaration, 'bind'>>>
  /** What is published, by name, with the type of its body; see `defineMessages`. */
  readonly messages?: Messages & OnlySettings<Messages>
}

/** A queue without its bindings, with the layout that it names. */
export interface QueueOfLayout<Layout extends LayoutChoice>
  extends Omit<QueueDeclaration, 'bind' | 'layout'> {
  /** Of this queue. @default the layout of the topology */
  readonly layout?: Layout
}

/** An exchange, with the names of those that feed it and of the one that it feeds. */
export interface FeedingExchange<Source extends string, Alternate extends string>
  extends Omit<ExchangeDeclaration, 'bind' | 'alternateExchange'> {
  /** Bindings from other exchanges to this one. */
  readonly bind?: readonly (BindingDeclaration & { readonly exchange: Source })[]
  /** Receives what this exchange cannot route. */
  readonly alternateExchange?: Alternate
}

/**
 * Checks a declaration and gives it back. Throws a TopologyError that lists all mistakes.
 * @example
 * ```ts
 * const topology = defineTopology({
 *   exchanges: { 'orders.events': { type: 'topic' } },
 *   queues: {
 *     'billing.orders': {
 *       bind: [{ exchange: 'orders.events', key: 'order.*' }],
 *       retry: { delays: ['5s', '30s', '5m'], maxAttempts: 4 },
 *     },
 *   },
 * })
 * ```
 */
export function defineTopology<
  const Binds,
  // The bound is for the compiler's words: without it a misspelt type is only "not assignable to never".
  const Types extends Readonly<Record<string, ExchangeType>> = Readonly<Record<never, ExchangeType>>,
  const Messages extends MessageDeclarations = NoMessages,
  const Source extends string = never,
  const Alternate extends string = never,
  const Layout extends LayoutChoice = never,
>(
  declaration: TopologyToDefine<Types, Binds, Messages, Source, Alternate, Layout>,
): Topology<
  keyof Binds & string,
  Messages,
  {
    readonly [Name in keyof Binds]: RoutedMessages<
      Messages,
      Name,
      Binds[Name],
      { types: Types; queues: keyof Binds; sources: Source; alternates: Alternate; layouts: Layout }
    >[keyof Messages]
  }
> {
  readTopology(declaration)
  return declaration as never
}
