export const sortOrders = [
  'position',
  'diedAt',
  'bodyBytes',
  'attempts',
  '-position',
  '-diedAt',
  '-bodyBytes',
  '-attempts',
] as const
export type SortOrder = (typeof sortOrders)[number]

/** The latest deaths first: whoever comes from an alert looks for what has just happened. */
export const usualSort: SortOrder = '-diedAt'

/** What the address of a queue says. */
export interface QueueSearch {
  /** In the grammar of the command line's --where. */
  readonly where?: string
  readonly sort?: SortOrder
  /** Keys of the selected messages. */
  readonly selected?: readonly string[]
}

export function readQueueSearch({ where, sort, selected }: Readonly<Record<string, unknown>>): QueueSearch {
  const keys = Array.isArray(selected) ? selected.map(String).filter((key) => /^[0-9a-f]{32}$/.test(key)) : []
  const order = sortOrders.find((each) => each === sort && each !== usualSort)
  return {
    ...(where !== undefined && where !== '' && { where: String(where) }),
    ...(order && { sort: order }),
    ...(keys.length > 0 && { selected: keys }),
  }
}
