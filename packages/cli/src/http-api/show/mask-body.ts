/** What may be shown of a body. */
export type MaskedBody =
  | { readonly kind: 'as-it-is' }
  | { readonly kind: 'masked'; readonly text: string }
  /** It cannot be read, so nobody can tell whether it holds what must not be seen. */
  | { readonly kind: 'unreadable' }

/**
 * A JSON body with the values at some paths hidden. `card.number` names a field; `*` any; lists are gone through.
 * What is no JSON is not shown at all: dead letters are often those whose body is broken.
 */
export function maskBody(body: Buffer, paths: readonly string[]): MaskedBody {
  if (paths.length === 0 || body.length === 0) return { kind: 'as-it-is' }
  try {
    return maskJson(body.toString('utf8').replace(/^\uFEFF/, ''), paths)
  } catch {
    return { kind: 'unreadable' } // no JSON, or nested deeper than the stack
  }
}

function maskJson(text: string, paths: readonly string[]): MaskedBody {
  const json: unknown = JSON.parse(text)
  // Text in quotes may be JSON once more, or anything else.
  if (typeof json === 'string') return { kind: 'unreadable' }
  const masked = paths.reduce((value, path) => maskPath(value, path.split('.')), json)
  if (masked !== json) return { kind: 'masked', text: JSON.stringify(masked) }
  // Of two fields with one name JSON.parse keeps the last, and the other one would be shown unseen.
  return countNames(json) === countWrittenNames(text) ? { kind: 'as-it-is' } : { kind: 'unreadable' }
}

const hidden = '***'

/** Gives the very same value back where the path leads nowhere. */
function maskPath(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return hidden
  if (Array.isArray(value)) return mapChanged(value, (item) => maskPath(item, [name, ...rest]))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const changed = mapChanged(entries, (entry) => {
    if (name !== '*' && entry[0] !== name) return entry
    const item = maskPath(entry[1], rest)
    return item === entry[1] ? entry : ([entry[0], item] as [string, unknown])
  })
  return changed === entries ? value : Object.fromEntries(changed)
}

function mapChanged<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const mapped = items.map(change)
  return mapped.every((item, at) => item === items[at]) ? items : mapped
}

function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const values: unknown[] = Object.values(value)
  const own = Array.isArray(value) ? 0 : values.length
  return values.reduce<number>((sum, each) => sum + countNames(each), own)
}

/** In valid JSON a text with a colon behind it is a name, and no other is. */
function countWrittenNames(text: string): number {
  let count = 0
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (colon !== undefined) count += 1
  return count
}
