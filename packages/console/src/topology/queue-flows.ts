import type { Schemas } from '../api/api.ts'

export interface FlowQueue {
  readonly name: string
  readonly role: 'work' | 'wait' | 'dead-letter' | 'queue'
  readonly messages: number | null
  readonly consumers: number | null
  readonly isMissing: boolean
  /** It is not proved that it keeps what it gets. */
  readonly isLossy: boolean
}

/** A queue that is worked on, with those that its messages pass when they fail. */
export interface QueueFlow {
  readonly owner: string
  /** `exchange key` of every binding that leads to it. */
  readonly sources: readonly string[]
  readonly queues: readonly FlowQueue[]
}

export interface FlowFacts {
  readonly live: Pick<Schemas['LiveTopology'], 'queues' | 'bindings'>
  readonly declared?: Pick<Schemas['CompiledTopology'], 'queues'> | undefined
  /** Queues about which something is not proved. */
  readonly lossy?: readonly string[] | undefined
  /** What the server knows of queues that no config declares. */
  readonly dlqs?: readonly Pick<Schemas['Dlq'], 'queue' | 'sources'>[] | undefined
}

const order = ['work', 'queue', 'wait', 'dead-letter'] as const

/** What is declared by the queue that it was made for; then what only the broker has. */
export function queueFlows({ live, declared, lossy = [], dlqs = [] }: FlowFacts): readonly QueueFlow[] {
  const found = new Map(live.queues.map((queue) => [queue.name, queue]))
  const known = new Map(declared?.queues.map((queue) => [queue.name, queue]))
  const dead = new Map(dlqs.map((dlq) => [dlq.queue, dlq.sources]))
  const lost = new Set(lossy)
  const names = [...new Set([...known.keys(), ...found.keys()])].filter((name) => !name.startsWith('warren.'))
  const ownerOf = (name: string): string => {
    const source = dead.get(name)?.find((each) => found.has(each))
    return known.get(name)?.owner ?? known.get(source ?? '')?.owner ?? source ?? name
  }
  const describe = (name: string): FlowQueue => {
    const { messages = null, consumers = null } = found.get(name) ?? {}
    const role = known.get(name)?.role ?? (dead.has(name) ? 'dead-letter' : 'queue')
    return { name, role, messages, consumers, isMissing: !found.has(name), isLossy: lost.has(name) }
  }
  const bindings = groupBy(live.bindings, ({ destination }) => destination)
  return [...groupBy(names, ownerOf)].map(([owner, members]) => ({
    owner,
    sources: (bindings.get(owner) ?? [])
      .filter(({ source }) => source !== '')
      .map(({ source, key }) => (key === '' ? source : `${source} ${key}`)),
    queues: members
      .map(describe)
      .toSorted((left, right) => order.indexOf(left.role) - order.indexOf(right.role)),
  }))
}

function groupBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(nameOf(item))
    if (group) group.push(item)
    else groups.set(nameOf(item), [item])
  }
  return groups
}
