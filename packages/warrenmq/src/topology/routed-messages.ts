import type { MessageDeclarations } from './message-declaration.ts'

/**
 * The messages that a queue can get, by name, worked out by TypeScript from the bindings of one `defineTopology`; the
 * others are `never`. Whatever types cannot follow is let through, and `warren check` looks at it: headers exchanges and
 * plugins, bindings that a layout makes, exchanges that are fed by others, and names that are not literal.
 *
 * This is a map and no union, because TypeScript would write a union that has this name as `RoutedMessages<…>`, with all
 * messages in it, once for every queue: the declarations of a package could become larger than it can write.
 */
export type RoutedMessages<Messages extends MessageDeclarations, Queue, Bind, World extends RoutingWorld> = {
  [Name in keyof Messages]: true extends Reaches<
    Messages[Name]['exchange'],
    KeyOf<Messages[Name]>,
    Queue,
    Bind,
    World
  >
    ? Name
    : never
}

/** What a route depends on besides the bindings of its queue. */
export interface RoutingWorld {
  /** The type of each exchange, by name. */
  readonly types: unknown
  /** All queues. */
  readonly queues: PropertyKey
  /** Exchanges that feed other exchanges, by a binding. */
  readonly sources: string
  /** Exchanges that get what others cannot route. */
  readonly alternates: string
  /** The layouts that are named, of the topology and of queues. */
  readonly layouts: unknown
}

/**
 * TypeScript before 6.0 finds that a binding extends no shape at all while it still infers the topology around it. So no
 * type here asks for a shape, only for keys.
 */
type KeyOf<Declared> = 'key' extends keyof Declared
  ? Declared['key'] extends string
    ? Declared['key']
    : Extract<Declared['key'], string> | ''
  : ''

type Reaches<
  Exchange extends string,
  Key extends string,
  Queue,
  Bind,
  World extends RoutingWorld,
> = Exchange extends ''
  ? ReachesByName<Key, Queue, World>
  : Bind extends readonly (infer Binding)[]
    ? Exchange extends World['sources']
      ? true
      : Matches<Exchange, Key, Binding, World>
    : ReachesUnbound<Bind, World>

/** A queue without bindings has none, unless its layout makes some. */
type ReachesUnbound<Bind, World extends RoutingWorld> = unknown extends Bind
  ? [World['layouts']] extends ['warren']
    ? false
    : true
  : true

/** By the default exchange. A layout may give a queue another name on the broker, so a strange key may still reach it. */
type ReachesByName<Key, Queue, World extends RoutingWorld> = Key extends Queue
  ? true
  : Key extends World['queues']
    ? false
    : true

type Matches<
  Exchange extends string,
  Key extends string,
  Binding,
  World extends RoutingWorld,
> = Binding extends unknown
  ? 'exchange' extends keyof Binding
    ? Exchange extends Binding['exchange']
      ? MatchesKey<TypeOf<Exchange, World>, KeyOf<Binding>, Key>
      : Binding['exchange'] extends World['alternates']
        ? true
        : string extends Exchange
          ? true
          : false
    : never
  : never

type TypeOf<Exchange extends string, World extends RoutingWorld> = Exchange extends keyof World['types']
  ? World['types'][Exchange]
  : Exchange extends `amq.${infer Type}`
    ? Type
    : unknown

type MatchesKey<Type, Pattern extends string, Key extends string> = string extends Pattern | Key
  ? true
  : Type extends 'direct'
    ? Key extends Pattern
      ? true
      : false
    : Type extends 'topic'
      ? MatchesWords<Words<Pattern>, Words<Key>>
      : true

/** To RabbitMQ the empty key has no word. */
type Words<Text extends string> = Text extends ''
  ? []
  : Text extends `${infer Word}.${infer Rest}`
    ? [Word, ...(Rest extends '' ? [''] : Words<Rest>)]
    : [Text]

type MatchesWords<Pattern extends readonly string[], Key extends readonly string[]> = Pattern extends [
  infer First extends string,
  ...infer Rest extends string[],
]
  ? First extends '#'
    ? MatchesRest<Rest, Key>
    : Key extends [infer Word extends string, ...infer Others extends string[]]
      ? Word extends (First extends '*' ? string : First)
        ? MatchesWords<Rest, Others>
        : false
      : false
  : Key extends []
    ? true
    : false

/** After a `#`: the rest of the pattern may begin at any word, or behind the last. */
type MatchesRest<Rest extends readonly string[], Key extends readonly string[]> =
  MatchesWords<Rest, Key> extends true
    ? true
    : Key extends [string, ...infer Others extends string[]]
      ? MatchesRest<Rest, Others>
      : false
