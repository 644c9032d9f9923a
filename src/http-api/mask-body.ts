/**
 * A JSON body with the values at some paths hidden. `card.number` names a field; `*` any; lists are gone through.
 * Undefined where nothing had to be hidden, such as in a body that is no JSON.
 */
export function maskBody(text: string, paths: readonly string[]): string | undefined {
  if (paths.length === 0) return undefined
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  const masked = paths.reduce((value, path) => maskPath(value, path.split('.')), json)
  return masked === json ? undefined : JSON.stringify(masked)
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
