/** What the address of the home page says. */
export interface HomeSearch {
  /** In the name of the queue, or of one that it gets dead letters from. */
  readonly find?: string
  readonly growing?: boolean
}

export function readHomeSearch({ find, growing }: Readonly<Record<string, unknown>>): HomeSearch {
  return {
    ...(find !== undefined && find !== '' && { find: String(find) }),
    ...(growing === true && { growing }),
  }
}
