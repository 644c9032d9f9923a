/** What the address of a queue says. */
export interface QueueSearch {
  /** In the grammar of the command line's --where. */
  readonly where?: string
  /** Keys of the selected messages. */
  readonly selected?: readonly string[]
}

export function readQueueSearch({ where, selected }: Readonly<Record<string, unknown>>): QueueSearch {
  const keys = Array.isArray(selected) ? selected.map(String).filter((key) => /^[0-9a-f]{32}$/.test(key)) : []
  return {
    ...(where !== undefined && where !== '' && { where: String(where) }),
    ...(keys.length > 0 && { selected: keys }),
  }
}
