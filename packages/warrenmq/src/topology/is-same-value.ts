/** Whether two plain values are equal, the order of an object's keys aside. */
export function isSameValue(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (Array.isArray(left) || Array.isArray(right)) {
    return Array.isArray(left) && Array.isArray(right) && isSameList(left, right)
  }
  return isSameObject(left as Record<string, unknown>, right as Record<string, unknown>)
}

function isSameList(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => isSameValue(item, right[index]))
}

function isSameObject(left: Record<string, unknown>, right: Record<string, unknown>): boolean {
  const names = Object.keys(left)
  if (names.length !== Object.keys(right).length) return false
  return names.every((name) => Object.hasOwn(right, name) && isSameValue(left[name], right[name]))
}

/** A text that two bindings share when the broker takes them for the same one. */
export function bindingIdentity(binding: {
  readonly source: string
  readonly destination: string
  readonly destinationType: 'queue' | 'exchange'
  readonly key: string
  readonly arguments: Readonly<Record<string, unknown>>
}): string {
  const { source, destinationType, destination, key, arguments: args } = binding
  const rest = Object.keys(args).length === 0 ? '' : canonicalText(args)
  return `${source}\u0000${destinationType}\u0000${destination}\u0000${key}\u0000${rest}`
}

/** JSON with sorted keys. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${canonicalText(item)}`).join(',')}}`
}
