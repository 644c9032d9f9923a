/** Any value as a text. Never throws: even an object without a prototype, or one that refuses to be read, has one. */
export function describeValue(value: unknown): string {
  try {
    return value instanceof Error ? `${value.name}: ${value.message}` : String(value)
  } catch {
    return `a value of type ${typeof value} that cannot be read`
  }
}
