import { createTopicTrie, type TopicTrie } from '../message/topic-trie.ts'
import { builtInExchanges } from './check-references.ts'
import type { CompiledBinding, CompiledExchange } from './compiled-topology.ts'
import type { Arguments } from './declaration.ts'
import { groupBy } from './group-by.ts'
import { isHeadersMatch } from './headers-match.ts'

/** Where messages go, by RabbitMQ's rules. Look-ups do not slow down with the number of bindings. */
export interface RouteIndex {
  /** The queues that one message reaches, each with the bindings that led there. */
  route(message: RoutedMessage): readonly Route[]
  /** The queues that some message with a key of the pattern may reach. Never too few, sometimes too many. */
  mayRoute(exchange: string, pattern: string): readonly Route[]
  hasExchange(name: string): boolean
  exchangeType(name: string): string | undefined
  /** The most words in a topic pattern that a message to this exchange can meet. */
  depth(): number
}

export interface RoutedMessage {
  readonly exchange: string
  readonly key: string
  readonly headers?: Arguments
}

export interface Route {
  readonly queue: string
  readonly via: readonly CompiledBinding[]
}

export function indexRoutes({ exchanges, queues, bindings }: RoutableTopology): RouteIndex {
  const types = new Map([
    ...Object.entries(builtInExchanges),
    ...exchanges.map((each) => [each.name, typeOf(each)] as const),
  ])
  const alternates = new Map(exchanges.map(({ name, arguments: args }) => [name, args['alternate-exchange']]))
  const bySource = new Map<string, SourceIndex>()
  for (const [source, ofSource] of groupBy(bindings, (binding) => binding.source)) {
    bySource.set(source, indexSource(types.get(source) ?? 'direct', ofSource))
  }
  const byName = indexNames(queues.map(({ name }) => name))
  const depth = [...bySource.values()].reduce((deepest, source) => Math.max(deepest, source.depth), 1)
  const cache = new Map<string, readonly Route[]>()
  const map = { types, alternates, bySource }

  return {
    route: ({ exchange, key, headers }) => {
      if (exchange === '') return byName.match(key)
      const walk = {
        ...map,
        start: exchange,
        pick: (source: SourceIndex) => source.match(key, headers ?? {}),
      }
      return onlyRoute(walk) ?? walkExchanges(walk)
    },
    mayRoute: (exchange, pattern) => {
      if (exchange === '') return byName.overlap(pattern)
      const identity = `${exchange}\u0000${pattern}`
      const pick = (source: SourceIndex) => source.overlap(pattern)
      const routes = cache.get(identity) ?? walkExchanges({ ...map, start: exchange, pick, mayMiss: true })
      cache.set(identity, routes)
      return routes
    },
    hasExchange: (name) => name === '' || types.has(name),
    exchangeType: (name) => (name === '' ? 'direct' : types.get(name)),
    depth: () => depth,
  }
}

/** The default exchange: a direct one to which every queue is bound by its name, with no binding to show for it. */
function indexNames(names: readonly string[]) {
  const known = new Set(names)
  let trie: TopicTrie<string> | undefined
  const patterns = () => {
    if (trie === undefined) {
      trie = createTopicTrie()
      for (const name of names) trie.add(name, name)
    }
    return trie
  }
  const match = (name: string): readonly Route[] =>
    known.has(name) ? [{ queue: name, via: directly }] : nowhere
  return {
    match,
    overlap: (pattern: string): readonly Route[] =>
      /[*#]/.test(pattern)
        ? patterns()
            .overlap(pattern)
            .map((queue) => ({ queue, via: directly }))
        : match(pattern),
  }
}

const directly: readonly CompiledBinding[] = []
const nowhere: readonly Route[] = []

/** What decides where a message ends. */
export interface RoutableTopology {
  /** Exchanges that a message can pass. */
  readonly exchanges: readonly CompiledExchange[]
  /** Queues that it can end in. */
  readonly queues: readonly { readonly name: string }[]
  /** What leads from one to the next. */
  readonly bindings: readonly CompiledBinding[]
}

interface Walk {
  readonly start: string
  readonly types: ReadonlyMap<string, string>
  readonly alternates: ReadonlyMap<string, unknown>
  readonly bySource: ReadonlyMap<string, SourceIndex>
  readonly pick: (source: SourceIndex) => readonly CompiledBinding[]
  /** Some keys may match nothing although others match, so the alternate exchange counts as well. */
  readonly mayMiss?: boolean
}

// The usual case, worth its own line when there are many thousand: one binding, straight to a queue.
function onlyRoute({ start, types, bySource, pick, mayMiss }: Walk): readonly Route[] | undefined {
  const source = bySource.get(start)
  if (mayMiss === true || source === undefined || !types.has(start)) return undefined
  const matched = pick(source)
  const binding = matched[0]
  if (binding === undefined || matched.length > 1 || binding.destinationType === 'exchange') return undefined
  return [{ queue: binding.destination, via: matched }]
}

// An exchange is visited once, so a circle of exchanges ends; a queue is reached once, whatever leads to it.
function walkExchanges({
  start,
  types,
  alternates,
  bySource,
  pick,
  mayMiss = false,
}: Walk): readonly Route[] {
  const routes = new Map<string, Route>()
  const visited = new Set<string>()
  const open: { exchange: string; via: readonly CompiledBinding[] }[] = [{ exchange: start, via: [] }]
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const { exchange, via } = step
    if (visited.has(exchange) || !types.has(exchange)) continue
    visited.add(exchange)

    const source = bySource.get(exchange)
    const matched = source === undefined ? [] : pick(source)
    for (const binding of matched) {
      const next = [...via, binding]
      if (binding.destinationType === 'exchange') open.push({ exchange: binding.destination, via: next })
      else if (!routes.has(binding.destination))
        routes.set(binding.destination, { queue: binding.destination, via: next })
    }
    const alternate = alternates.get(exchange)
    if ((matched.length === 0 || mayMiss) && typeof alternate === 'string')
      open.push({ exchange: alternate, via })
  }
  return [...routes.values()]
}

// The plugin for delayed messages routes by the type that it wraps.
function typeOf({ type, arguments: args }: CompiledExchange): string {
  const wrapped = args['x-delayed-type']
  return type === 'x-delayed-message' && typeof wrapped === 'string' ? wrapped : type
}

interface SourceIndex {
  readonly depth: number
  match(key: string, headers: Arguments): readonly CompiledBinding[]
  overlap(pattern: string): readonly CompiledBinding[]
}

function indexSource(type: string, bindings: readonly CompiledBinding[]): SourceIndex {
  if (type === 'topic') return indexTopic(bindings)
  if (type === 'direct') return indexDirect(bindings)
  if (type === 'headers') {
    return {
      depth: 1,
      match: (_key, headers) => bindings.filter((binding) => isHeadersMatch(binding.arguments, headers)),
      overlap: () => bindings,
    }
  }
  // Fanout, and types of plugins, of which all that is known is that they choose among their bindings.
  return { depth: 1, match: () => bindings, overlap: () => bindings }
}

function indexTopic(bindings: readonly CompiledBinding[]): SourceIndex {
  const trie: TopicTrie<CompiledBinding> = createTopicTrie()
  for (const binding of bindings) trie.add(binding.key, binding)
  return { depth: trie.depth(), match: (key) => trie.match(key), overlap: (pattern) => trie.overlap(pattern) }
}

function indexDirect(bindings: readonly CompiledBinding[]): SourceIndex {
  const byKey = groupBy(bindings, ({ key }) => key)
  let trie: TopicTrie<CompiledBinding> | undefined
  const patterns = () => {
    trie ??= createTopicTrie()
    if (trie.depth() === 0) for (const binding of bindings) trie.add(binding.key, binding)
    return trie
  }
  return {
    depth: 1,
    match: (key) => byKey.get(key) ?? [],
    overlap: (pattern) => (/[*#]/.test(pattern) ? patterns().overlap(pattern) : (byKey.get(pattern) ?? [])),
  }
}
