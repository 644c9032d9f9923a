/** What the address of the topology says. */
export interface TopologySearch {
  /** In the names of queues. */
  readonly find?: string
}

export function readTopologySearch({ find }: Readonly<Record<string, unknown>>): TopologySearch {
  return find === undefined || find === '' ? {} : { find: String(find) }
}
