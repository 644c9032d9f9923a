/** What the address of a discard says. */
export interface DiscardSearch {
  readonly where?: string
}

export function readDiscardSearch({ where }: Readonly<Record<string, unknown>>): DiscardSearch {
  return where !== undefined && where !== '' ? { where: String(where) } : {}
}
