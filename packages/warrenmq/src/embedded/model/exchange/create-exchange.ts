import type { FieldTable } from '../../../wire/field-value.ts'
import type { EffectivePolicy } from '../policy/policies.ts'
import { idOfBinding } from './binding.ts'
import type {
  Binding,
  BindingTable,
  Destination,
  Exchange,
  ExchangeDeclaration,
  RoutedMessage,
} from './exchange.ts'
import type { ExchangeType } from './exchange-type.ts'
import { type HeaderComparison, matchesHeaders } from './header-comparison.ts'
import { createTopicBindings } from './topic-bindings.ts'

export function createExchange(
  declaration: ExchangeDeclaration,
  { comparison, policy }: { comparison: HeaderComparison; policy: EffectivePolicy },
): Exchange {
  return {
    resourceKind: 'exchange',
    ...declaration,
    bindings: createBindingTable(declaration.type, comparison),
    bindingCount: 0,
    policy,
  }
}

function createBindingTable(type: ExchangeType, comparison: HeaderComparison): BindingTable {
  switch (type) {
    case 'direct':
      return createDirectTable()
    case 'fanout':
      return createListTable(() => true)
    case 'headers':
      return createListTable((binding, headers) => matchesHeaders(binding.arguments, headers(), comparison))
    case 'topic':
      return createTopicBindings()
    case 'x-local-random':
      return createChoiceTable(createTurns())
    case 'x-modulus-hash':
      return createChoiceTable(hashOfKey)
  }
}

function createDirectTable(): BindingTable {
  const byKey = new Map<string, Map<string, Binding>>()
  return {
    add: (binding) => {
      const ofKey = byKey.get(binding.routingKey) ?? new Map<string, Binding>()
      byKey.set(binding.routingKey, ofKey.set(idOfBinding(binding), binding))
    },
    remove: (binding) => {
      const ofKey = byKey.get(binding.routingKey)
      ofKey?.delete(idOfBinding(binding))
      if (ofKey?.size === 0) byKey.delete(binding.routingKey)
    },
    match: ({ routingKeys }, onMatch) => {
      for (const key of routingKeys) {
        for (const { destination } of byKey.get(key)?.values() ?? []) onMatch(destination)
      }
    },
  }
}

function createListTable(isMatch: (binding: Binding, headers: () => FieldTable) => boolean): BindingTable {
  const all = new Map<string, Binding>()
  return {
    add: (binding) => {
      all.set(idOfBinding(binding), binding)
    },
    remove: (binding) => {
      all.delete(idOfBinding(binding))
    },
    match: ({ headers }, onMatch: (destination: Destination) => void) => {
      for (const binding of all.values()) if (isMatch(binding, headers)) onMatch(binding.destination)
    },
  }
}

/** One of its bindings gets the message. */
function createChoiceTable(choose: (message: RoutedMessage) => number): BindingTable {
  const all = new Map<string, Binding>()
  return {
    add: (binding) => {
      all.set(idOfBinding(binding), binding)
    },
    remove: (binding) => {
      all.delete(idOfBinding(binding))
    },
    match: (message, onMatch) => {
      const chosen = [...all.values()][choose(message) % Math.max(1, all.size)]
      if (chosen) onMatch(chosen.destination)
    },
  }
}

/** Any choice is a possible one, and this one is the same in every run: nobody can rely on whose turn it is. */
function createTurns(): () => number {
  let turn = 0
  return () => {
    turn += 1
    // The golden ratio spreads evenly and follows no short round.
    return Math.floor(((turn * 0.618_033_988_75) % 1) * 0x7fffffff)
  }
}

/** The same key always has the same binding, though not the one that Erlang's hash would choose. */
function hashOfKey({ routingKeys }: RoutedMessage): number {
  let hash = 0x811c9dc5
  for (const character of routingKeys[0] ?? '') hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193)
  return hash >>> 0
}
