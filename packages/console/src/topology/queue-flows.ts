import type { Schemas } from '../api/api.ts'

type Live = Schemas['LiveTopology']
type Declared = Schemas['CompiledTopology']

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

const order = ['work', 'queue', 'wait', 'dead-letter'] as const

/** What is declared by the queue that it was made for; then what only the broker has. */
export function queueFlows(
  live: Live,
  declared?: Declared,
  lossy: readonly string[] = [],
): readonly QueueFlow[] {
  const found = new Map(live.queues.map((queue) => [queue.name, queue]))
  const known = new Map(declared?.queues.map((queue) => [queue.name, queue]))
  const names = [...new Set([...known.keys(), ...found.keys()])].filter((name) => !name.startsWith('warren.'))
  const ownerOf = (name: string): string => known.get(name)?.owner ?? name
  return [...new Set(names.map(ownerOf))].map((owner) => ({
    owner,
    sources: live.bindings
      .filter(({ destination, source }) => destination === owner && source !== '')
      .map(({ source, key }) => (key === '' ? source : `${source} ${key}`)),
    queues: names
      .filter((name) => ownerOf(name) === owner)
      .map((name): FlowQueue => {
        const { messages = null, consumers = null } = found.get(name) ?? {}
        return {
          name,
          role: known.get(name)?.role ?? 'queue',
          messages,
          consumers,
          isMissing: !found.has(name),
          isLossy: lossy.includes(name),
        }
      })
      .toSorted((left, right) => order.indexOf(left.role) - order.indexOf(right.role)),
  }))
}
