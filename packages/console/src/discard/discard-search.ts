import { readKeys } from '../filter/read-keys.ts'

/** What the address of a discard says. */
export interface DiscardSearch {
  readonly where?: string
  /** Of messages, where no filter can name them. */
  readonly keys?: readonly string[]
}

export function readDiscardSearch({ where, keys }: Readonly<Record<string, unknown>>): DiscardSearch {
  return {
    ...(where !== undefined && where !== '' && { where: String(where) }),
    ...readKeys(keys),
  }
}
