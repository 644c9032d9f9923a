import type { FieldTable } from '../../wire/field-value.ts'
import { type Binding, type BindingTable, type Destination, idOfBinding } from './binding.ts'
import { type HeaderComparison, matchesHeaders } from './headers-match.ts'
import type { EffectivePolicy } from './policies.ts'
import { createTopicTrie } from './topic-trie.ts'

export type ExchangeType = 'direct' | 'fanout' | 'topic' | 'headers'

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

export function isExchangeType(type: string): type is ExchangeType {
  return type === 'direct' || type === 'fanout' || type === 'topic' || type === 'headers'
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
      return createTopicTrie()
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
