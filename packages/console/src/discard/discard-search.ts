/** What the address of a discard says. */
export interface DiscardSearch {
  readonly where?: string
  /** Of messages, where no filter can name them. */
  readonly keys?: readonly string[]
}

export function readDiscardSearch({ where, keys }: Readonly<Record<string, unknown>>): DiscardSearch {
  return {
    ...(where !== undefined && where !== '' && { where: String(where) }),
    ...(Array.isArray(keys) && keys.length > 0 && { keys: keys.map(String) }),
  }
}
